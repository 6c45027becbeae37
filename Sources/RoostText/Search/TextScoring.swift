/// The formula by which documents are ranked by words: BM25F (Robertson, Zaragoza and Taylor 2004) with an
/// inverse document frequency that is never negative, and additional evidence for words that are adjacent in
/// the query and in the document.
///
/// The score is the sum over the query's words of w · f / (f + k1). Here w is the information of the word,
/// log(1 + (N - n + 0.5) / (n + 0.5)), where n of the N documents contain it in any field. The frequency f is
/// the number of occurrences in the body, divided by 1 - b + b · length / mean length, plus a constant for
/// each other field that contains the word. A pair of adjacent words that occurs p times adds half of the
/// mean information of its words times p / (p + 1).
enum TextScoring {
    /// The frequency of a word at which it contributes half of its information.
    static let k1: Float = 0.9
    /// The influence of the length of the body on the frequency: 0 for none, 1 for full normalization.
    static let b: Float = 0.3
    /// The maximum share of the information of two words that their adjacency adds.
    static let pairWeight: Float = 0.5

    static func frequency(of field: TextField) -> Float {
        switch field {
        case .title: 1.5
        case .headings, .path, .tags: 1
        case .body: 0
        }
    }

    /// Returns the factor by which the number of occurrences in a body is divided.
    @inline(__always)
    static func norm(_ length: Float, _ meanLength: Float) -> Float { 1 - b + b * length / meanLength }

    /// Returns the share of a word's information that a frequency contributes.
    @inline(__always)
    static func share(_ frequency: Float) -> Float { frequency / (frequency + k1) }

    @inline(__always)
    static func pairShare(_ occurrences: Float) -> Float { occurrences / (occurrences + 1) }

    @inline(__always)
    static func frequency(of fields: TextFieldSet) -> Float {
        fields.isEmpty ? 0 : frequencies[Int(fields.rawValue & 15)]
    }

    /// The frequency that each set of fields adds, by its raw value.
    private static let frequencies: [Float] = (0..<16).map { value in
        TextFieldSet(rawValue: UInt8(value)).members.reduce(0) { $0 + frequency(of: $1) }
    }

    /// The share of a word's information that a document contributes if it consists only of the query.
    static let exactShare = 1 / (1 + k1 * (1 - b))
    /// The share of the weight of a pair that one occurrence contributes.
    static let exactPairShare: Float = 0.5

    static func information(_ count: Int, of documents: Int) -> Float {
        let rarity = (Double(documents) - Double(count) + 0.5) / (Double(count) + 0.5)
        return Float(logarithm(1 + rarity))
    }
}
