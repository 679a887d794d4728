import Foundation
import KSTestPrograms
import Testing

/// The rules of this project, checked on the project.
struct TidyTests {
    private let tree: SourceTree

    init() throws {
        tree = try SourceTree.shared.get()
    }

    /// These files name what they search for.
    private var checked: [SourceFile] {
        tree.files.filter { !$0.path.hasPrefix("Tests/TidyTests/") }
    }

    @Test
    func `the project's files are found`() {
        #expect(tree.file("Package.swift") != nil)
        #expect(tree.file("Makefile") != nil)
        #expect(tree.files.count { $0.isSwift } > 20)
    }

    @Test
    func `files are short`() {
        #expect(tree.files.flatMap(SizeChecks.fileLength) == [])
    }

    @Test
    func `functions are short`() {
        #expect(tree.files.flatMap(SizeChecks.functionLength) == [])
    }

    @Test
    func `the thread sanitizer's list names every Mutex`() throws {
        let suppressions = try #require(tree.file(SanitizerChecks.suppressions))
        let files = checked.filter { !$0.path.hasPrefix("Benchmarks/") }
        #expect(SanitizerChecks.mutexes(suppressions, files) == [])
    }

    @Test
    func `lines fit a window`() {
        #expect(tree.files.flatMap(SizeChecks.lineLength) == [])
    }

    @Test
    func `the pages that a user reads first stay short`() throws {
        let readMe = try #require(tree.file("README.md"))
        #expect(readMe.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
        let keyValues = try #require(tree.file("docs/KeyValueStore.md"))
        #expect(keyValues.text.split(whereSeparator: \.isWhitespace).count <= 3000)
    }

    @Test
    func `C libraries have few importers`() {
        #expect(tree.files.flatMap(ImportChecks.cLibraries) == [])
    }

    @Test
    func `pure modules import nothing that does input or output`() {
        #expect(tree.files.flatMap(ImportChecks.pureModules) == [])
    }

    @Test
    func `tests import modules as other modules do`() {
        #expect(tree.files.flatMap(ImportChecks.testable) == [])
    }

    @Test
    func `dependencies point down`() throws {
        let package = try #require(tree.file("Package.swift"))
        #expect(PackageChecks.targets(package).count > 15)
        #expect(PackageChecks.layerRule(package) == [])
    }

    @Test
    func `each module stands on its floor`() {
        #expect(tree.paths.contains("Sources/Base/Bytes"))
        #expect(PackageChecks.floorRule(tree.paths) == [])
    }

    @Test
    func `the daemon knows every call`() throws {
        let table = try #require(tree.file(CallChecks.tablePath))
        #expect(tree.files.flatMap(CallChecks.calls).count > 40)
        #expect(CallChecks.handled(tree.files, table: table) == [])
    }

    @Test
    func `target names leave the plain words to other packages`() throws {
        let package = try #require(tree.file("Package.swift"))
        #expect(PackageChecks.prefixRule(package) == [])
    }

    @Test(arguments: ["Benchmarks", "Tests/Fuzz"])
    func `a package of its own builds the same modules`(folder: String) throws {
        let package = try #require(tree.file("Package.swift"))
        let other = try #require(tree.file(folder + "/Package.swift"))
        #expect(PackageChecks.targets(other).count > 5)
        #expect(PackageChecks.sameModulesRule(package, in: other) == [])
    }

    @Test(arguments: ["", "Benchmarks/", "Tests/Fuzz/"])
    func `every module is compiled strictly`(folder: String) throws {
        let package = try #require(tree.file(folder + "Package.swift"))
        #expect(PackageChecks.settingsRule(package) == [])
    }

    @Test
    func `the server cannot open a record`() throws {
        #expect(PackageChecks.serverRule(try #require(tree.file("Package.swift"))) == [])
    }

    @Test
    func `each unchecked Sendable says why it is safe`() {
        #expect(checked.flatMap(CodeChecks.unsafeSendable) == [])
    }

    @Test
    func `nothing is left unfinished`() {
        #expect(checked.flatMap(CodeChecks.unfinishedWork) == [])
    }

    @Test
    func `nothing is forced`() {
        #expect(checked.flatMap(CodeChecks.force) == [])
    }

    @Test
    func `each lost error is explained`() {
        #expect(checked.flatMap(CodeChecks.lostErrors) == [])
    }

    @Test
    func `sentences are plain`() {
        #expect(tree.files.flatMap(WordChecks.riddles) == [])
    }

    @Test
    func `no file names a path of one machine`() {
        #expect(checked.flatMap(CodeChecks.machinePaths) == [])
    }

    @Test
    func `generated files say so`() {
        #expect(tree.files.flatMap(GeneratedChecks.marks) == [])
    }

    @Test
    func `generated files match their tables`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer {
            // A leftover temporary folder does no harm.
            try? FileManager.default.removeItem(at: folder)
        }
        let script = tree.root.appending(path: "scripts/generate-tables").path
        let run = try await Programs.run(script, [folder.path])
        #expect(run.status == 0, "\(run.errors)")
        let made = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".sql") || $0.hasSuffix(".md") }
            .map { path in
                let url = folder.appending(path: path)
                return SourceFile(path, try String(contentsOf: url, encoding: .utf8))
            }
        #expect(made.count > 10)
        #expect(GeneratedChecks.differences(made: made, committed: tree.files) == [])
    }

    @Test
    func `no migration is edited by mistake`() throws {
        let list = try #require(tree.file(MigrationChecks.listPath))
        #expect(MigrationChecks.hashes(tree.files, list: list) == [])
    }

    @Test
    func `decisions say what they decide`() {
        #expect(tree.files.flatMap(DocumentChecks.decision) == [])
        #expect(DocumentChecks.decisionNumbers(tree.files) == [])
        #expect(tree.files.contains { $0.isMarkdown && $0.lines.contains("[Service]") })
        #expect(tree.files.flatMap(DocumentChecks.units) == [])
    }

    @Test
    func `links lead somewhere`() {
        let findings = checked.flatMap { file in
            DocumentChecks.links(file, paths: tree.paths) { tree.file($0)?.lines.count }
        }
        #expect(findings == [])
    }

    @Test
    func `the walkthrough has a link for each of the twelve steps`() throws {
        let file = try #require(tree.file("docs/Walkthrough.md"))
        #expect(DocumentChecks.walkthrough(file) == [])
    }

    @Test
    func `the commands are there, and CI runs what make test runs`() throws {
        let makefile = try #require(tree.file("Makefile"))
        #expect(MakefileChecks.commandRule(makefile) == [])
        let ci = try #require(tree.file(".ci/run"))
        #expect(MakefileChecks.checkRule(makefile, ci: ci) == [])
        #expect(MakefileChecks.thoroughRule(makefile, tests: tree.files) == [])
    }

    @Test
    func `make commands in documents exist`() throws {
        let makefile = try #require(tree.file("Makefile"))
        let findings = tree.files.flatMap { DocumentChecks.makeCommands($0, makefile: makefile) }
        #expect(findings == [])
    }
}
