/// The origin of web pages or of an app, in the form in which browsers send it (RFC 6454, section 6.2): a
/// scheme and a host in lower case, and a port unless it is the usual one of the scheme.
package struct WebOrigin: Sendable, Hashable {
    /// The text of the field `Origin`.
    package let text: String

    private static let usualPorts = ["http": "80", "https": "443"]

    /// Creates the origin with a text such as `https://Example.com:443/`.
    ///
    /// - Returns: `nil` if the text has another form, for example with a path. Hosts have ASCII characters
    ///   only, because browsers encode others.
    package init?(_ text: String) {
        let text = text.lowercased()
        guard let separator = text.firstRange(of: "://") else { return nil }
        let scheme = String(text[..<separator.lowerBound])
        var authority = String(text[separator.upperBound...])
        if authority.hasSuffix("/") { authority.removeLast() }
        let host = RequestGuard.hostName(of: authority)
        let port = authority.dropFirst(host.count).dropFirst()
        guard scheme.first.map(Self.isLetter) == true,
            scheme.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || "+-.".contains($0) }),
            Self.isHost(host)
        else { return nil }
        let isUsual = port.isEmpty || Self.usualPorts[scheme] == String(port)
        self.text = "\(scheme)://\(host)" + (isUsual ? "" : ":\(port)")
    }

    // Characters are compared as ASCII: a range such as "a"..."z" also contains letters with combining marks.
    private static func isLetter(_ character: Character) -> Bool { character.isASCII && character.isLetter }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    /// Returns whether a text in lower case can be the host of an origin. An IPv6 address has brackets.
    static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") {
            return host.dropFirst().dropLast().allSatisfy {
                $0.isASCII && $0.isHexDigit || ":.".contains($0)
            }
        }
        return !host.isEmpty && host.allSatisfy { isLetter($0) || isDigit($0) || "-._".contains($0) }
    }
}
