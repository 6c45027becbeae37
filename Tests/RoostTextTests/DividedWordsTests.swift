import Testing

@testable import RoostText

/// Tests of the words of scripts that are written without spaces.
@Suite struct DividedWordsTests {
    private static let hasDictionaries = Words.divided(Array("北京大学".utf8)).count == 2

    @Test(
        .enabled(if: hasDictionaries, "ICU is not installed"),
        arguments: [
            ("新しいフォルダーを作成する", ["新しい", "フォルダー", "を", "作成", "する"]),
            ("在北京开会, see 上海 notes", ["在", "北京", "开会", "see", "上海", "notes"]),
            ("ดื่มกาแฟทุกเช้า", ["ดื่ม", "กาแฟ", "ทุก", "เช้า"]),
            ("日本語 と English", ["日本語", "と", "english"]),
        ])
    func `words are those of the dictionary, with their ranges`(text: String, expected: [String]) {
        let utf8 = Array(text.utf8)
        let words = Words.divided(utf8)
        #expect(words.map(\.folded) == expected)
        for word in words {
            #expect(String(decoding: utf8[word.utf8Range], as: UTF8.self).lowercased() == word.folded)
        }
    }

    @Test func `words of other scripts are the same as without dictionaries`() {
        let utf8 = Array("Don't stop: naïve Ελλάδα, 42 x".utf8)
        #expect(Words.divided(utf8) == Array(Words(utf8: utf8)))
    }
}
