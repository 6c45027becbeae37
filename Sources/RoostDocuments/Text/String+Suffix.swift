extension String {
    /// Returns the text from an offset in UTF-8 bytes to the end; empty if the text is shorter.
    ///
    /// - Complexity: O(length of the result).
    func suffix(fromByte offset: Int) -> String {
        guard offset < utf8.count else { return "" }
        return String(decoding: utf8[utf8.index(utf8.startIndex, offsetBy: offset)...], as: UTF8.self)
    }
}
