import RoostHTTP
import Testing

struct ConstantTimeTests {
    @Test(arguments: [
        ("abc", "abc", true), ("abc", "abd", false), ("abc", "abcabc", false), ("", "", true),
        ("a", "", false),
    ])
    func `only equal sequences are equal`(secret: String, candidate: String, expected: Bool) {
        #expect(ConstantTime.equal(Array(secret.utf8), Array(candidate.utf8)) == expected)
    }
}
