/// The day, month or year of a date in a text.
struct DatePart: Sendable, Hashable {
    /// The spellings of the part in lower case without diacritics.
    var spellings: [String]
    /// The number of words between the start of the date and the part.
    var offset = 0

    init(_ spellings: [String]) { self.spellings = spellings }

    /// Returns the part at another offset.
    func at(_ offset: Int) -> DatePart {
        var part = self
        part.offset = offset
        return part
    }
}
