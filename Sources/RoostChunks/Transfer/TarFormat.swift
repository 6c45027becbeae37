import Foundation

/// The interchange format of tar with extended headers (POSIX.1-2001, `pax`): regular files only.
enum TarFormat {
    static let block = 512

    /// What fills a file's last block.
    static func padding(after size: Int) -> Data { Data(count: (block - size % block) % block) }

    /// The header of a file, after an extended one for whatever does not fit it.
    static func header(path: String, size: Int, records: [(String, String)]) -> Data {
        var records = records
        if path.utf8.count > 100 { records.append(("path", path)) }
        if size >= 1 << 33 { records.append(("size", String(size))) }
        var data = Data()
        if !records.isEmpty {
            let text = Data(records.map { record($0.0, $0.1) }.joined().utf8)
            data += ustar(name: "pax", size: text.count, type: "x") + text + padding(after: text.count)
        }
        let short = path.utf8.count > 100 ? "long" : path
        return data + ustar(name: short, size: size < 1 << 33 ? size : 0, type: "0")
    }

    /// `LENGTH KEY=VALUE\n`, where the length counts itself.
    private static func record(_ key: String, _ value: String) -> String {
        let rest = " \(key)=\(value)\n"
        var length = rest.utf8.count
        while String(length).utf8.count + rest.utf8.count != length {
            length = String(length).utf8.count + rest.utf8.count
        }
        return "\(length)\(rest)"
    }

    private static func ustar(name: String, size: Int, type: Character) -> Data {
        var bytes = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at offset: Int) {
            bytes.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        func octal(_ value: Int, _ digits: Int) -> String {
            let text = String(value, radix: 8)
            return String(repeating: "0", count: digits - text.count) + text
        }
        put(name, at: 0)
        put(octal(0o600, 7), at: 100)
        put(octal(0, 7), at: 108)
        put(octal(0, 7), at: 116)
        put(octal(size, 11), at: 124)
        put(octal(0, 11), at: 136)
        put("        ", at: 148)
        put(String(type), at: 156)
        put("ustar\u{0}00", at: 257)
        put(octal(bytes.reduce(0) { $0 + Int($1) }, 6) + "\u{0} ", at: 148)
        return Data(bytes)
    }

    struct Item {
        var path: String
        var range: Range<Int>
        var records: [String: String]
    }

    /// Goes through an archive, file by file. Every length is compared with what there is.
    struct Reader {
        private let count: Int
        private var place = 0
        private static let largestRecords = 1 << 20

        init(count: Int) { self.count = count }

        /// - Parameter damaged: makes the error of a reason.
        /// - Returns: `nil` at the end of the archive.
        mutating func next(
            in bytes: UnsafeRawBufferPointer, _ damaged: (String) -> ChunkStorageError
        ) throws -> Item? {
            var records: [String: String] = [:]
            while true {
                guard place + block <= count else { throw damaged("it ends in the middle") }
                let header = UnsafeRawBufferPointer(rebasing: bytes[place..<place + block])
                if header.allSatisfy({ $0 == 0 }) { return nil }
                let sum = header.enumerated().reduce(0) {
                    $0 + (148..<156 ~= $1.offset ? 32 : Int($1.element))
                }
                guard Self.octal(header[148..<156]) == sum else {
                    throw damaged("a header's checksum is wrong")
                }
                guard var size = Self.octal(header[124..<136]) else { throw damaged("a file has no size") }
                let type = header[156]
                let isFile = type == UInt8(ascii: "0") || type == 0
                if isFile, let text = records["size"] {
                    guard let larger = Int(text), larger >= 0 else { throw damaged("a file has no size") }
                    size = larger
                }
                let start = place + block
                guard size <= count - start else { throw damaged("it ends in the middle") }
                let range = start..<start + size
                let (padded, isTooLarge) = range.upperBound.addingReportingOverflow(
                    (block - size % block) % block)
                guard !isTooLarge, padded <= count else { throw damaged("it ends in the middle") }
                place = padded
                switch type {
                case UInt8(ascii: "x"):
                    guard size <= Self.largestRecords, let read = Self.records(bytes[range]) else {
                        throw damaged("an extended header cannot be read")
                    }
                    records = read
                case UInt8(ascii: "0"), 0:
                    let name = header[0..<100].prefix { $0 != 0 }
                    guard let path = records["path"] ?? String(validating: name, as: UTF8.self) else {
                        throw damaged("a name is not UTF-8")
                    }
                    return Item(path: path, range: range, records: records)
                case UInt8(ascii: "5"): records = [:]
                default: throw damaged("it has something that is neither a file nor a folder")
                }
            }
        }

        private static func octal(_ field: Slice<UnsafeRawBufferPointer>) -> Int? {
            let text = field.prefix { $0 != 0 }.filter { $0 != UInt8(ascii: " ") }
            guard !text.isEmpty, text.count <= 12 else { return nil }
            var value = 0
            for byte in text {
                guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else { return nil }
                value = value << 3 | Int(byte - UInt8(ascii: "0"))
            }
            return value
        }

        private static func records(_ bytes: Slice<UnsafeRawBufferPointer>) -> [String: String]? {
            var records: [String: String] = [:]
            var rest = bytes
            while !rest.isEmpty {
                guard let space = rest.firstIndex(of: UInt8(ascii: " ")), space - rest.startIndex <= 8,
                    let text = String(validating: rest[..<space], as: UTF8.self), let length = Int(text),
                    length > space - rest.startIndex + 2, length <= rest.count
                else { return nil }
                let record = rest[space + 1..<rest.startIndex + length]
                guard record.last == UInt8(ascii: "\n"),
                    let equals = record.firstIndex(of: UInt8(ascii: "=")),
                    let key = String(validating: record[..<equals], as: UTF8.self),
                    let value = String(validating: record[(equals + 1)...].dropLast(), as: UTF8.self)
                else { return nil }
                records[key] = value
                rest = rest[(rest.startIndex + length)...]
            }
            return records
        }
    }
}
