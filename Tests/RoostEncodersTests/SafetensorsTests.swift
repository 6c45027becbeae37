import Foundation
import RoostModel
import Testing

@testable import RoostEncoders

struct SafetensorsTests {
    /// Opens a file that consists of a header and `data` zero bytes.
    func open(_ header: String, data: Int, claimedHeader: UInt64? = nil) throws -> Safetensors {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "\(UUID().uuidString).safetensors")
        defer { try? FileManager.default.removeItem(at: url) }
        var padded = header
        while padded.utf8.count % 8 != 0 { padded += " " }
        var bytes = withUnsafeBytes(of: (claimedHeader ?? UInt64(padded.utf8.count)).littleEndian) {
            Data($0)
        }
        bytes += Data(padded.utf8) + Data(count: data)
        try bytes.write(to: url)
        return try Safetensors(url)
    }

    @Test func `a valid file opens`() throws {
        let header = """
            {"__metadata__": {"format": "pt"},
            "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
            "b": {"dtype": "F32", "shape": [1], "data_offsets": [24, 28]}}
            """
        let file = try open(header, data: 28)
        #expect(Set(file.tensors.keys) == ["a", "b"])
        #expect(try file.floats("a", shape: [2, 3])[5] == 0)
        #expect(throws: EmbedderError.self) { try file.floats("a", shape: [3, 2]) }
        #expect(throws: EmbedderError.self) { try file.floats("c", shape: [1]) }
    }

    @Test(arguments: [
        ("[0, 24]", 20, "beyond the end"), ("[0, 20]", 24, "requires"), ("[-4, 20]", 24, "invalid"),
        ("[24, 0]", 24, "invalid"), ("[0]", 24, "invalid"),
        ("[0, 9223372036854775807]", 24, "beyond the end"),
    ]) func `a tensor whose offsets contradict the file is an error that names the tensor`(
        offsets: String, data: Int, words: String
    ) {
        let header = "{\"a\": {\"dtype\": \"F32\", \"shape\": [2, 3], \"data_offsets\": \(offsets)}}"
        let error = #expect(throws: EmbedderError.self) { try open(header, data: data) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("'a'") == true)
    }

    @Test func `a header above the maximum of the format is reported as such`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "\(UUID().uuidString).safetensors")
        defer { try? FileManager.default.removeItem(at: url) }
        try withUnsafeBytes(of: UInt64(100_000_008).littleEndian) { Data($0) }.write(to: url)
        // The rest of the file occupies no space.
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: 200_000_000)
        try file.close()
        let error = #expect(throws: EmbedderError.self) { try Safetensors(url) }
        #expect(error?.message.hasSuffix("the maximum of the format is 100000000") == true)
    }

    @Test func `every other invalid header is an error`() {
        for (header, claimed) in [
            ("{}", UInt64.max), ("{}", 1 << 40), ("not json", nil), ("", nil),
            ("{\"a\": {\"dtype\": \"F8_E4M3\", \"shape\": [2], \"data_offsets\": [0, 4]}}", nil),
            ("{\"a\": {\"dtype\": \"F32\", \"shape\": [-1], \"data_offsets\": [0, 4]}}", nil),
            (
                "{\"a\": {\"dtype\": \"F32\", \"shape\": [4611686018427387904, 8], "
                    + "\"data_offsets\": [0, 4]}}", nil
            ),
            (
                "{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}, "
                    + "\"b\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [4, 12]}}", nil
            ),
        ] as [(String, UInt64?)] {
            #expect(throws: EmbedderError.self, "\(header)") {
                try open(header, data: 64, claimedHeader: claimed)
            }
        }
    }
}
