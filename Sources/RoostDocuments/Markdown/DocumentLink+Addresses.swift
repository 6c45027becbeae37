extension DocumentLink {
    /// The extensions of files that are not notes: images, sound, video and documents.
    private static let attachmentExtensions: Set<String> = [
        "png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "avif", "heic", "tif", "tiff", "ico",
        "mp3", "wav", "m4a", "ogg", "flac", "3gp", "opus", "mp4", "webm", "ogv", "mov", "mkv", "avi",
        "pdf", "docx", "xlsx", "pptx", "odt", "epub", "zip", "gz", "csv", "json", "html", "txt",
    ]

    /// Creates a link from an address, which may end with `#` and a fragment.
    init(address: String, kind: Kind, text: String?) {
        let hash = address.utf8.firstIndex(of: UInt8(ascii: "#"))
        let target = hash.map { String(address[..<$0]) } ?? address
        let fragment = hash.map { String(address[address.utf8.index(after: $0)...]) }
        self.init(
            kind: kind, target: target, fragment: fragment.flatMap { $0.isEmpty ? nil : $0 },
            text: text.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Whether the target is a URL with a scheme, such as `https:` or `mailto:`.
    public var isExternal: Bool {
        guard kind != .wiki else { return false }
        if target.utf8.starts(with: "//".utf8) { return true }
        guard let colon = target.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = target.utf8[..<colon]
        guard scheme.count >= 2, scheme.count <= 32, let first = scheme.first, first.isASCIILetter else {
            return false
        }
        return scheme.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        }
    }

    /// Whether the target is a file that is not a note, such as an image.
    public var namesAttachment: Bool {
        guard let dot = target.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return Self.attachmentExtensions.contains(target[target.utf8.index(after: dot)...].lowercased())
    }
}
