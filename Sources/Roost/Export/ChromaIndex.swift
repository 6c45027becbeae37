import Foundation
import RoostModel

/// Reads the vectors of an index of Chroma 1.x: the graph of hnswlib (`header.bin`, `data_level0.bin`), and
/// the table of the ids of its elements (`index_metadata.pickle`).
///
/// The files may come from anybody: all offsets are checked against the sizes of the files.
struct ChromaIndex {
    /// The folder of the index.
    let folder: URL

    /// The layout of the elements in `data_level0.bin`.
    private struct Layout {
        /// The number of elements.
        var count: Int
        /// The size of an element in bytes.
        var size: Int
        /// The offset of the label in an element; the vector precedes it.
        var labelOffset: Int
        /// The offset of the vector in an element.
        var vectorOffset: Int
    }

    /// The size of `header.bin` in bytes.
    private static let headerSize = 100
    /// The version of `header.bin`, in its first four bytes.
    private static let headerVersion: UInt32 = 1
    /// The maximum size of `index_metadata.pickle` in bytes: some millions of ids.
    private static let maximumTableSize = 512 << 20
    /// The flag of a removed element, in the third byte of the element.
    private static let removedFlag: UInt8 = 1

    /// Returns the vectors by the ids of their texts; empty if the index was never written.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if a file is damaged or of an unsupported version.
    func vectors() throws -> [String: [Float]] {
        guard let labels = try labels() else { return [:] }
        let layout = try layout()
        let data = try contents("data_level0.bin", limit: .max)
        let (needed, overflow) = layout.count.multipliedReportingOverflow(by: layout.size)
        guard !overflow, needed <= data.count else { throw failure("data_level0.bin is truncated") }
        var ids: [Int64: String] = [:]
        for (id, label) in labels { ids[label] = id }
        var vectors: [String: [Float]] = [:]
        for element in 0..<layout.count {
            let start = data.startIndex + element * layout.size
            guard data[start + 2] & Self.removedFlag == 0 else { continue }
            let label = Int64(truncatingIfNeeded: Self.number(data, start + layout.labelOffset, UInt64.self))
            guard let id = ids[label] else { continue }
            vectors[id] = VectorBytes.float32(
                data[start + layout.vectorOffset..<start + layout.labelOffset])
        }
        return vectors
    }

    /// Returns the labels of the elements by their ids; `nil` if the index was never written.
    private func labels() throws -> [String: Int64]? {
        let name = "index_metadata.pickle"
        guard FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path) else {
            return nil
        }
        guard let table = PickledTable(try contents(name, limit: Self.maximumTableSize)),
            let labels = table.numbers(in: "id_to_label")
        else { throw failure("\(name) is damaged, or of a version before Chroma 1.0") }
        return labels
    }

    private func layout() throws -> Layout {
        let header = try contents("header.bin", limit: 1 << 20)
        guard header.count >= Self.headerSize,
            Self.number(header, header.startIndex, UInt32.self) == Self.headerVersion
        else { throw failure("header.bin is damaged or of an unsupported version") }
        // The version is followed by numbers of eight bytes: the offset of the links, the capacity, the
        // number of elements, the size of an element, and the offsets of the label and of the vector.
        let numbers = (0..<6).map { Self.number(header, header.startIndex + 4 + 8 * $0, UInt64.self) }
        guard numbers.allSatisfy({ $0 < 1 << 40 }) else { throw failure("header.bin is damaged") }
        let values = numbers.map { Int($0) }
        let layout = Layout(
            count: values[2], size: values[3], labelOffset: values[4], vectorOffset: values[5])
        let vectorSize = layout.labelOffset - layout.vectorOffset
        guard layout.vectorOffset >= 4, vectorSize > 0, vectorSize % 4 == 0,
            vectorSize / 4 <= EmbeddingSpace.maximumDimension, layout.labelOffset + 8 <= layout.size
        else { throw failure("header.bin is damaged") }
        return layout
    }

    private func contents(_ name: String, limit: Int) throws -> Data {
        let url = folder.appendingPathComponent(name)
        guard let values = try? url.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey]),
            values.isRegularFile == true, (values.fileSize ?? .max) <= limit,
            let data = try? Data(contentsOf: url, options: .mappedIfSafe)
        else { throw failure("\(name) is missing, unreadable or too large") }
        return data
    }

    private func failure(_ fault: String) -> RoostError {
        RoostError(
            .badInput, "cannot import the vectors of \(folder.path): \(fault)", remedy: .ignoreVectors)
    }

    private static func number<Number: FixedWidthInteger>(_ data: Data, _ index: Int, _ type: Number.Type)
        -> Number
    {
        data[index..<index + MemoryLayout<Number>.size].withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(as: Number.self))
        }
    }
}
