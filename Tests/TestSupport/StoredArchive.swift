public import Foundation

/// A ZIP archive whose parts are not compressed, for documents that no program would write.
public enum StoredArchive {
    /// Returns an archive with parts, by their names.
    public static func data(_ parts: [(name: String, text: String)]) -> Data {
        data(of: parts.map { ($0.name, Data($0.text.utf8)) })
    }

    /// Returns an archive with parts, by their names.
    public static func data(of parts: [(name: String, data: Data)]) -> Data {
        var (archive, directory) = (Data(), Data())
        for part in parts {
            let (name, contents) = (Data(part.name.utf8), part.data)
            let size = UInt32(contents.count)
            // The version, flags, method, time and date.
            var fields = bytes([20, 0, 0, 0, 0x21] as [UInt16])
            fields += bytes([checksum(contents), size, size] as [UInt32])
            fields += bytes([UInt16(name.count), 0] as [UInt16])
            directory += bytes([0x0201_4B50] as [UInt32]) + bytes([20] as [UInt16]) + fields
            directory += bytes([0, 0, 0] as [UInt16]) + bytes([0, UInt32(archive.count)] as [UInt32]) + name
            archive += bytes([0x0403_4B50] as [UInt32]) + fields + name + contents
        }
        let count = UInt16(parts.count)
        let end =
            bytes([0x0605_4B50] as [UInt32]) + bytes([0, 0, count, count] as [UInt16])
            + bytes([UInt32(directory.count), UInt32(archive.count)] as [UInt32]) + bytes([0] as [UInt16])
        return archive + directory + end
    }

    private static func bytes<Number: FixedWidthInteger>(_ numbers: [Number]) -> Data {
        numbers.reduce(into: Data()) { data, number in
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
    }

    /// The remainders of all bytes for the CRC-32 of ISO 3309.
    private static let remainders: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(byte) { value, _ in value >> 1 ^ (value & 1) * 0xEDB8_8320 }
    }

    private static func checksum(_ data: Data) -> UInt32 {
        ~data.reduce(~0 as UInt32) { sum, byte in
            sum >> 8 ^ remainders[Int(UInt8(truncatingIfNeeded: sum) ^ byte)]
        }
    }
}
