import Foundation

/// Converts text to UTF-8 with the converter of the operating system.
package enum TextConverter {
    /// Converts bytes in an encoding to UTF-8. Invalid sequences become U+FFFD.
    ///
    /// Returns `nil` if the encoding is not supported.
    package static func convert(_ bytes: [UInt8], from encoding: String) -> [UInt8]? {
        #if canImport(Darwin)
            let constant = CFStringConvertIANACharSetNameToEncoding(encoding as CFString)
            guard constant != kCFStringEncodingInvalidId else { return nil }
            let native = String.Encoding(rawValue: CFStringConvertEncodingToNSStringEncoding(constant))
            return String(data: Data(bytes), encoding: native).map { Array($0.utf8) }
        #else
            guard encoding.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }) else { return nil }
            guard let converter = iconv_open("UTF-8", encoding), converter != iconv_t(bitPattern: -1) else {
                return nil
            }
            defer { iconv_close(converter) }
            return convert(bytes, with: converter)
        #endif
    }

    #if !canImport(Darwin)
        private static func convert(_ bytes: [UInt8], with converter: iconv_t) -> [UInt8] {
            var input = bytes
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count + bytes.count / 2)
            var buffer = [CChar](repeating: 0, count: 1 << 16)
            input.withUnsafeMutableBytes { source in
                var next = source.baseAddress?.assumingMemoryBound(to: CChar.self)
                var remaining = source.count
                while remaining > 0 {
                    let (count, code) = buffer.withUnsafeMutableBufferPointer { target -> (Int, Int32) in
                        var output = target.baseAddress
                        var space = target.count
                        let status = iconv(converter, &next, &remaining, &output, &space)
                        return (target.count - space, status == -1 ? errno : 0)
                    }
                    result.append(contentsOf: buffer[..<count].lazy.map { UInt8(bitPattern: $0) })
                    if remaining > 0, code == EILSEQ || code == EINVAL {
                        result.append(contentsOf: [0xEF, 0xBF, 0xBD])
                        next = next?.advanced(by: 1)
                        remaining -= 1
                    }
                }
            }
            return result
        }
    #endif
}
