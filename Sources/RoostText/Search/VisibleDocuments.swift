/// The documents of a collection whose words a query may depend on.
///
/// A correction to a word, the lack of one, and a score that depends on the rarity of the word would
/// otherwise tell whether a hidden document has the word.
package struct VisibleDocuments {
    let contains: (_ part: Int, _ document: Int) -> Bool

    /// Creates the documents for which a closure returns `true`.
    package init(where contains: @escaping (_ part: Int, _ document: Int) -> Bool) {
        self.contains = contains
    }
}
