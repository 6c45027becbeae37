import Foundation

/// The bytes of an XML document, which the parser requests in small parts. If it had the whole document in
/// its own buffer, the memory would be several times the size of the document.
final class XMLSource {
    private let data: Data
    private var offset: Int

    init(_ data: Data) { (self.data, offset) = (data, data.startIndex) }

    /// Copies the next bytes into a buffer of the parser, and returns their number. libxml2 calls this
    /// function with the source as the context.
    static func read(
        _ context: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ length: Int32
    ) -> Int32 {
        guard let context, let buffer, length > 0 else { return 0 }
        let source = Unmanaged<XMLSource>.fromOpaque(context).takeUnretainedValue()
        let start = source.offset
        source.offset = min(source.data.endIndex, start + Int(length))
        buffer.withMemoryRebound(to: UInt8.self, capacity: Int(length)) {
            source.data.copyBytes(to: $0, from: start..<source.offset)
        }
        return Int32(source.offset - start)
    }
}
