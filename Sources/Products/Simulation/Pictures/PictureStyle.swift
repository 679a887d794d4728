/// The style sheet of pictures.
enum PictureStyle {
    /// Light colors, and dark ones for readers who prefer them.
    static let colors = """
        :root { --page: #ffffff; --ink: #1b1f24; --quiet: #57606a; --lane: #8c959f;
          --band: #eef1f4; --step: #ddeeff; --step-edge: #54a0e8; --box: #ffffff;
          --box-edge: #afb8c1; --request: #0a58b5; --answer: #1a7f37; --news: #8250df;
          --lost: #b35900; --failed: #ffebe9; --failed-edge: #cf222e; --failed-ink: #82071e; }
        @media (prefers-color-scheme: dark) { :root { --page: #0f1318; --ink: #e6edf3;
          --quiet: #9aa5b1; --lane: #6e7781; --band: #1c232b; --step: #10305a;
          --step-edge: #388bfd; --box: #0f1318; --box-edge: #57606a; --request: #6cb0ff;
          --answer: #57d364; --news: #cba6ff; --lost: #f0a050; --failed: #4b1014;
          --failed-edge: #f85149; --failed-ink: #ffc9c5; } }
        """

    static let shapes = """
        text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
          fill: var(--ink); white-space: pre; }
        .page { fill: var(--page); }
        .name { font-size: 15px; font-weight: bold; }
        .time, .expect-text { fill: var(--quiet); }
        .time { font-size: 11px; }
        .lane { stroke: var(--lane); stroke-width: 2; }
        .away { stroke-dasharray: 2 6; }
        .band { fill: var(--band); }
        .band-text { font-weight: bold; }
        .step { fill: var(--step); stroke: var(--step-edge); }
        .deed { fill: var(--step-edge); }
        .expect { fill: none; }
        .shows { fill: var(--box); stroke: var(--box-edge); }
        .failed { fill: var(--failed); stroke: var(--failed-edge); stroke-width: 2; }
        .failed-text { fill: var(--failed-ink); }
        .way { stroke-width: 1.5; }
        .label { font-size: 11px; stroke: var(--page); stroke-width: 3; paint-order: stroke; }
        .request .way { stroke: var(--request); }
        .request .head, .request .label { fill: var(--request); }
        .answer .way { stroke: var(--answer); }
        .answer .head, .answer .label { fill: var(--answer); }
        .news .way { stroke: var(--news); }
        .news .head, .news .label { fill: var(--news); }
        .lost .way, .open .way { stroke-dasharray: 5 3; }
        .lost .way { stroke: var(--lost); }
        .lost .label { fill: var(--lost); }
        """

    /// What only the page has.
    static let page = """
        body { margin: 1rem; background: var(--page); color: var(--ink);
          font: 16px/1.5 system-ui, sans-serif; }
        h1 { font-size: 1.3rem; margin: 0; }
        h2 { font-size: 1.1rem; }
        .summary { margin: 0.2rem 0; color: var(--quiet); }
        .legend { margin: 0.4rem 0 0; padding: 0; display: flex; flex-wrap: wrap;
          gap: 0.2rem 1.2rem; list-style: none; font-size: 0.85rem; }
        .legend .request { color: var(--request); }
        .legend .answer { color: var(--answer); }
        .legend .news { color: var(--news); }
        .legend .lost { color: var(--lost); }
        svg { display: block; }
        .heads { position: sticky; top: 0; }
        ol { font-size: 0.85rem; color: var(--quiet); }
        """

    static let legend = """
        <ul class="legend">
        <li class="request">→ a device asks the server</li>
        <li class="answer">→ the server answers</li>
        <li class="news">→ the server tells a device of a write</li>
        <li class="lost">⤫ lost on its way</li>
        <li>dotted lane: out of reach</li>
        </ul>
        """
}
