/// Finds the lines around the text of a message that is signed with OpenPGP (RFC 9580, section 7): the header
/// and the signature.
struct MailArmor {
    /// The part that contains the current line.
    private enum Part {
        case none, header, signature
    }

    private var part = Part.none

    /// Returns whether a line, which is the next one of the message, belongs to the header or the signature.
    ///
    /// - Parameter line: The line without white space at its ends.
    mutating func contains(_ line: String) -> Bool {
        switch part {
        case .none:
            if line == "-----BEGIN PGP SIGNED MESSAGE-----" { part = .header }
            if line == "-----BEGIN PGP SIGNATURE-----" { part = .signature }
            return part != .none
        case .header:
            // The header has the form `Hash: SHA256`, and ends with an empty line.
            if line.hasPrefix("Hash:") { return true }
            part = .none
            return false
        case .signature:
            if line == "-----END PGP SIGNATURE-----" { part = .none }
            return true
        }
    }
}
