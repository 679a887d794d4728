import Foundation
import KSDigests
import KSGenerating
import KSTestSupport
import Testing

/// Apple's form of password rules: reading, and passwords that satisfy the rules.
///
/// The texts are those of tests/tools/PasswordRulesParserTests.js and quirks/password-rules.json in
/// github.com/apple/password-manager-resources (MIT licence), commits 0cc55c7 and 0054ece.
struct PasswordRulesTests {
    private static let lower = Set("abcdefghijklmnopqrstuvwxyz".utf8)
    private static let upper = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    private static let digits = Set("0123456789".utf8)
    private static let printable = Set(UInt8(0x20)...0x7E)
    private static let special = printable.subtracting(lower).subtracting(upper)
        .subtracting(digits)

    @Test(arguments: [
        "", "allowed: [供应商责任进展]", "allowed: upper,,", "allowed: upper,;",
        "allowed: upper [a]", "dummy: upper", "upper: lower", "max-consecutive: [ABC]",
        "max-consecutive: upper", "max-consecutive: 1+1", "max-consecutive: 供", "required: 1",
        "required: 1+1", "required: 供", "required: A", "required: required: upper", "allowed: 1",
        "allowed: 1+1", "allowed: 供", "allowed: A", "allowed: allowed: upper",
    ])
    func `faulty rules are no rules, as in Apple's reader`(text: String) {
        let rules = PasswordRules(text)
        #expect(rules.permitted == Self.printable)
        #expect(rules.required == [] && rules.allowed == [])
        #expect(rules.maxConsecutive == nil && rules.minLength == nil && rules.maxLength == nil)
        #expect((rules.fault == nil) == text.isEmpty)
    }

    @Test
    func `a fault between rules ends the reading, one within discards all`() {
        let between = PasswordRules("minlength: 9; ! maxlength: 12")
        #expect(between.minLength == 9 && between.maxLength == nil)
        #expect(between.fault == "A rule begins with its name, such as required.")
        let within = PasswordRules("minlength: 9; required: uper")
        #expect(within.minLength == nil && within.required == [])
        #expect(within.fault == "uper is not a class of characters.")
    }

    @Test
    func `the strictest limit counts, and 0 means no limit`() {
        let rules = PasswordRules(
            "minlength: 8; minlength: 6; maxlength: 20; maxlength: 30; maxlength: 0;"
                + "max-consecutive: 3; max-consecutive: 2; max-consecutive:; max-consecutive: 0"
        )
        #expect(rules.minLength == 8 && rules.maxLength == 20 && rules.maxConsecutive == 2)
        #expect(rules.fault == nil)
    }

    @Test(arguments: [
        ("[-abc]", "-abc"), ("[a-c]", "ac"), ("[abc]]", "abc]"), ("[]]", "]"), ("[-]", "-"),
        ("[-]]", "-]"), ("[[]", "["), ("[ ;,:]", " ;,:"), ("[!\"§$]", "!\"$"), ("[]", ""),
        ("[']]", "']"), ("[abc", ""), ("[a], [b]", "ab"),
    ])
    func `a custom class has a hyphen first and a bracket last`(text: String, members: String) {
        #expect(PasswordRules("allowed: \(text)").allowed == Set(members.utf8))
        #expect(PasswordRules("allowed: \(text)").fault == nil || !text.hasPrefix("[-"))
    }

    @Test
    func `classes have names in any case, and a list of them is their union`() {
        let rules = PasswordRules("required: Upper,lower ; required:digits;allowed: SPECIAL")
        #expect(rules.required == [Self.upper.union(Self.lower), Self.digits])
        #expect(rules.allowed == Self.special)
        #expect(rules.permitted == Self.printable)
        #expect(PasswordRules("allowed: unicode").allowed == Self.printable)
        #expect(PasswordRules("allowed: ascii-printable").allowed == Self.printable)
        #expect(PasswordRules("required: digit").permitted == Self.digits)
    }

    @Test(arguments: [
        "minlength: 6; maxlength: 16;",
        "minlength: 8; required: digit; required: [- !\"#$&'()*+,.:;<=>?@[^_`{|}~]]; "
            + "allowed: lower, upper;",
        "minlength: 8; maxlength: 20; max-consecutive: 2; required: upper; required: digit; "
            + "allowed: lower, [-_&#@];",
        "minlength: 4; maxlength: 4;",
        "minlength: 8; maxlength: 65; required: lower; required: upper; required: digit; "
            + "allowed: [-!\"§$%&/()=?;:_+*'#];",
        "required: upper; required: upper; required: digit; required: digit; required: special; "
            + "required: special; allowed: lower;",
        "maxlength: 15;", "minlength: 5; maxlength: 5; required: lower, upper, digit;",
        "minlength: 6; maxlength: 50; max-consecutive: 2; required: lower, upper; "
            + "required: digit; allowed: [_!@$]",
        "minlength: 15; required: lower; required: lower; required: upper; required: upper; "
            + "required: digit; required: digit; "
            + "required: [-!@#$%^&*()_+|~=`{}[:\";'?,./.]]; "
            + "required: [-!@#$%^&*()_+|~=`{}[:\";'?,./.]];",
        "minlength: 8; maxlength: 50; max-consecutive: 2; required: lower; required: upper; "
            + "required: digit, [-~!@#$%^&*_+=`|(){}[:;,.?]];",
        "minlength: 4; maxlength: 4; allowed: digit;",
        "minlength: 8; maxlength: 16; required: lower; required: upper; required: digit; "
            + "required: [-]; required: [!@#$%^&*()+];",
        "minlength: 8; maxlength: 100; required: lower; required: upper; required: digit; "
            + "allowed: [-@_#!&$`%*+()./,;~:{}|?>=<^[']];",
        "minlength: 8; required: lower; required: upper; required: digit, "
            + "[-~!#$%&_+=|(){}[:;\"’<>,.? ]];",
        "minlength: 8; maxlength: 225; required: lower; required: upper; required: digit; "
            + "required: [!@#$%];",
    ])
    func `passwords satisfy the rules of real sites`(text: String) throws {
        let rules = PasswordRules(text)
        let generator = try PasswordGenerator(.rules(rules, length: nil))
        let random = SeededRandomSource(seed: 2)
        for _ in 0..<30 {
            let password = generator.generate(with: random)
            #expect(rules.accept(password), "\(password)")
            #expect(password.count <= 20)
            #expect(!password.contains(" "))
        }
    }

    @Test
    func `the length is 20 where the rules allow it, or the caller's`() throws {
        func length(_ text: String, _ length: Int? = nil) throws -> Int {
            let recipe = PasswordRecipe.rules(PasswordRules(text), length: length)
            return try PasswordGenerator(recipe).generate(with: SeededRandomSource(seed: 3)).count
        }
        #expect(try length("") == 20)
        #expect(try length("minlength: 30") == 30)
        #expect(try length("maxlength: 12") == 12)
        #expect(try length("maxlength: 12", 9) == 9)
        #expect(try length(String(repeating: "required: digit;", count: 30)) == 30)
        #expect(try length("allowed: [a]; max-consecutive: 2") == 2)
        #expect(try length("allowed: [ ]") == 20)
    }

    /// All texts over three letters, judged one by one.
    @Test(arguments: [
        "allowed: [abc]; max-consecutive: 1", "allowed: [abc]; max-consecutive: 2",
        "required: [ab]; required: [bc]", "required: [a]; required: [a]; allowed: [bc]",
        "required: [a]; required: [b]; required: [c]; max-consecutive: 2",
        "required: [abc]; required: [a]; required: [a]; max-consecutive: 3", "allowed: [abc]",
    ])
    func `each password that the rules accept is drawn equally often`(text: String) throws {
        let rules = PasswordRules(text)
        let length = 5
        var accepted: Set<String> = [""]
        for _ in 0..<length {
            accepted = Set(accepted.flatMap { text in ["a", "b", "c"].map { text + $0 } })
        }
        accepted = accepted.filter(rules.accept)
        let generator = try PasswordGenerator(.rules(rules, length: length))
        #expect(abs(generator.entropyBits - log2(Double(accepted.count))) < 1e-12)
        let random = SeededRandomSource(seed: 4)
        let counts = (0..<accepted.count * 30).reduce(into: [String: Int]()) { counts, _ in
            counts[generator.generate(with: random), default: 0] += 1
        }
        #expect(Set(counts.keys) == accepted)
        #expect(counts.values.allSatisfy { (6...65).contains($0) }, "\(counts)")
    }

    @Test
    func `rules that nothing satisfies are refused with the reason`() {
        func error(_ text: String, _ length: Int? = nil) -> GeneratingError? {
            #expect(throws: GeneratingError.self) {
                try PasswordGenerator(.rules(PasswordRules(text), length: length))
            }
        }
        #expect(error("minlength: 9; maxlength: 8") == .lengthsCross(least: 9, most: 8))
        #expect(error("minlength: 300") == .length(300, most: 256))
        #expect(error("minlength: 99999999999999999999") == .length(999_999_999, most: 256))
        let outside = GeneratingError.lengthAgainstRules(7, least: 8, most: 16)
        #expect(error("minlength: 8; maxlength: 16", 7) == outside)
        let three = "maxlength: 2; required: [a]; required: [b]; required: [c]"
        #expect(error(three) == .nothingSatisfies)
        #expect(error("minlength: 3; allowed: [a]; max-consecutive: 2") == .nothingSatisfies)
        let many = (0..<13).map { "required: [\(Character(UnicodeScalar(UInt8(97 + $0))))]" }
        #expect(error(many.joined(separator: ";")) == .tooManyRequirements)
        #expect(
            outside.description
                == "The rules allow 8 to 16 characters, not 7: choose another length."
        )
    }
}
