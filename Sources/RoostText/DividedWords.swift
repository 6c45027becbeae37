import CICULoader

extension Words {
    /// Returns the words of a text. In scripts without spaces, they are those of ICU's dictionaries: `フォルダー`
    /// and not each of its characters. If ICU is not installed, they are those of ``Words``.
    package static func divided(_ utf8: [UInt8]) -> [Word] {
        var result: [Word] = []
        // Adjacent words in scripts without spaces.
        var run: [Word] = []
        func finishRun() {
            if let first = run.first, let last = run.last {
                let range = first.utf8Range.lowerBound..<last.utf8Range.upperBound
                result += dictionaryWords(utf8, range) ?? run
            }
            run = []
        }
        for word in Words(utf8: utf8) {
            let isSpaceless = word.folded.unicodeScalars.first.map(WordScanner.isSpaceless) ?? false
            if run.last?.utf8Range.upperBound != word.utf8Range.lowerBound { finishRun() }
            if isSpaceless {
                run.append(word)
            } else {
                finishRun()
                result.append(word)
            }
        }
        finishRun()
        return result
    }

    /// Returns the words in a range; `nil` if ICU cannot be used.
    private static func dictionaryWords(_ utf8: [UInt8], _ range: Range<Int>) -> [Word]? {
        let text = String(decoding: utf8[range], as: UTF8.self)
        let units = Array(text.utf16)
        var ends = [Int32](repeating: 0, count: units.count)
        let count = roost_word_ends(units, Int32(units.count), &ends)
        guard count > 0 else { return nil }
        var start = text.startIndex
        return ends.prefix(Int(count)).map { end in
            let end = String.Index(utf16Offset: Int(end), in: text)
            defer { start = end }
            let lower = range.lowerBound + text.utf8.distance(from: text.startIndex, to: start)
            return Word(
                folded: text[start..<end].lowercased(),
                utf8Range: lower..<lower + text[start..<end].utf8.count)
        }
    }
}
