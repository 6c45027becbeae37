package import Foundation

/// Decodes the bytes of text files.
package enum TextDecoder {
    /// Returns the text of bytes without its byte order mark, and the name of the encoding if it is not
    /// UTF-8; `nil` if the bytes are not text.
    ///
    /// A byte order mark determines the encoding. Bytes that are not UTF-8 are decoded as windows-1252, which
    /// includes the printable characters of ISO 8859-1, if ``Windows1252`` finds this probable.
    package static func decode(_ data: Data) -> (text: String, encodingName: String?)? {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) {
            return String(validating: data.dropFirst(3), as: UTF8.self).map { ($0, nil) }
        }
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) { return decodeUTF16(data) }
        if let text = String(validating: data, as: UTF8.self) { return (text, nil) }
        guard Windows1252.isProbable(data), let text = String(data: data, encoding: .windowsCP1252) else {
            return nil
        }
        return (text, "windows-1252")
    }

    private static func decodeUTF16(_ data: Data) -> (text: String, encodingName: String?)? {
        let isLittleEndian = data.first == 0xFF
        guard data.count % 2 == 0 else { return nil }
        let units = data.dropFirst(2).withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 2).map { index in
                let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                return isLittleEndian ? second << 8 | first : first << 8 | second
            }
        }
        guard !units.contains(0), let text = String(validating: units, as: UTF16.self) else { return nil }
        return (text, isLittleEndian ? "UTF-16LE" : "UTF-16BE")
    }
}
