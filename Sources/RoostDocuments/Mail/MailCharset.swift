import CGMime
import Foundation

/// The character sets of messages.
enum MailCharset {
    /// Decodes the bytes of a part of a message with its declared character set.
    ///
    /// Missing and wrong declarations are common. If the declared set is ASCII, UTF-8 or unknown, or some
    /// bytes are invalid in it, ``TextDecoder`` determines the encoding from the bytes.
    static func decode(_ data: Data, declared name: String?) -> String {
        let declared = (name ?? "us-ascii").lowercased().trimmingCharacters(in: .whitespaces)
        let isUnreliable = ["us-ascii", "ascii", "utf-8", "utf8", "unknown-8bit", "x-unknown", ""].contains(
            declared)
        if isUnreliable {
            return TextDecoder.decode(data)?.text ?? String(decoding: data, as: UTF8.self)
        }
        // Programs often declare ISO 8859-1 for text in windows-1252, which includes the printable characters
        // of ISO 8859-1.
        let isLatin = ["iso-8859-1", "latin1", "iso8859-1"].contains(declared)
        return converted(data, from: isLatin ? "windows-1252" : declared)
            ?? TextDecoder.decode(data)?.text
            ?? String(data: data, encoding: .windowsCP1252) ?? String(decoding: data, as: UTF8.self)
    }

    /// Converts bytes to UTF-8 with iconv; `nil` if the character set is unknown or the bytes are invalid.
    private static func converted(_ data: Data, from name: String) -> String? {
        guard let converter = g_mime_iconv_open("UTF-8", name),
            converter != UnsafeMutableRawPointer(bitPattern: -1)
        else {
            return nil
        }
        defer { g_mime_iconv_close(converter) }
        return data.withUnsafeBytes { bytes -> String? in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return "" }
            guard let text = g_mime_iconv_strndup(converter, start, bytes.count) else { return nil }
            defer { g_free(text) }
            return String(validatingCString: text)
        }
    }
}
