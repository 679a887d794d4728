/// What `--version` prints, for every program of this package.
package enum ProgramVersion {
    /// The next release; the commit that is tagged drops the suffix.
    package static let text = "0.1.0-dev"
}
