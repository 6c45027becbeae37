import Testing

@testable import RoostDocuments

@Suite struct TextCountsTests {
    @Test(arguments: [
        ("two words", 2), ("日本語の文", 3), ("ราคาน้ำมันในตลาดโลกปรับตัวสูงขึ้น", 7), ("မြန်မာနိုင်ငံ", 3), ("ភាសាខ្មែរ", 2),
    ])
    func `words of scripts without spaces are estimated from their letters`(text: String, words: Int) {
        #expect(TextCounts(text).words == words)
    }

    @Test(arguments: ["One. Two!", "一。二！", "هل هذا صحيح؟ نعم.", "यह सच है। हाँ।", "မင်္ဂလာပါ။ ဟုတ်ကဲ့။"])
    func `sentences end with the marks of their script`(text: String) {
        #expect(TextCounts(text).sentenceEnds == 2)
    }

    @Test func `punctuation of other scripts is not part of a word`() {
        #expect(TextCounts("نعم، شكرا").words == 2)
        #expect(TextCounts("نعم ، شكرا").words == 2)
    }
}
