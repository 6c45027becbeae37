/// Finds the lines around the text of a message that is signed with OpenPGP (RFC 9580, section 7): the header
/// and the signature.
struct MailArmor {
    /// The part that contains the current line.
    private enum Part {
        case none, header, signature
    }

    private static let signatureStart = "-----BEGIN PGP SIGNATURE-----"
    private static let signatureEnd = "-----END PGP SIGNATURE-----"

    private var part = Part.none
    /// The indices of the lines with which signatures begin that have an end. A line without an end would
    /// hide the rest of the message.
    private var signatures: Set<Int> = []

    /// Finds the signatures.
    ///
    /// - Parameter lines: The lines of the message.
    /// - Complexity: O(length of message).
    init(_ lines: [Substring]) {
        var start: Int?
        for (index, line) in lines.enumerated() where line.utf8.first(where: { $0 > 0x20 }) == 0x2D {
            let content = String(line).trimmed
            if content == Self.signatureStart { start = index }
            if content == Self.signatureEnd, let first = start {
                signatures.insert(first)
                start = nil
            }
        }
    }

    /// Returns whether a line, which is the next one of the message, belongs to the header or the signature.
    ///
    /// - Parameters:
    ///   - line: The line without white space at its ends.
    ///   - index: The index of the line in the message.
    mutating func contains(_ line: String, at index: Int) -> Bool {
        switch part {
        case .none:
            if line == "-----BEGIN PGP SIGNED MESSAGE-----" { part = .header }
            if signatures.contains(index) { part = .signature }
            return part != .none
        case .header:
            // The header has the form `Hash: SHA256`, and ends with an empty line.
            if line.hasPrefix("Hash:") { return true }
            part = .none
            return false
        case .signature:
            if line == Self.signatureEnd { part = .none }
            return true
        }
    }
}
