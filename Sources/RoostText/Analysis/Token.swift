/// A word of a text as the index stores it, or a further form of the word under which it can be found.
struct Token: Sendable, Hashable {
    var kind: Term.Kind
    var range: Range<Int>
    /// The number of the word in the text, from 1. A further form of a word has the same number as the word.
    var position: UInt32
    /// Whether the token is indexed but not searched for, because a query with the token also contains a more
    /// specific token.
    var isOnlyForIndex = false
}
