import CRoostKernels
import Foundation
import RoostFiles
import RoostVectors
import Testing

struct ChecksumTests {
    @Test func `checksums are those of RFC 3720, by whatever way`() {
        // B.4: 32 bytes of zero, of ones, ascending, descending.
        let examples: [([UInt8], UInt32)] = [
            (Array(repeating: 0, count: 32), 0x8A91_36AA), (Array(repeating: 255, count: 32), 0x62A8_AB43),
            (Array(0..<32), 0x46DD_794E), ((0..<32).reversed(), 0x113F_DB5C),
        ]
        for (bytes, checksum) in examples {
            #expect(bytes.withUnsafeBytes { CRC32C.checksum($0) } == checksum)
        }
        var generator = SeededGenerator(seed: 1)
        let bytes = (0..<40_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        bytes.withUnsafeBytes { bytes in
            for length in [0, 1, 7, 8, 3071, 3072, 3073, 6143, 6144, 9999, 32_768, 39_990] {
                for start in [0, 1, 5] {
                    let part = bytes.baseAddress! + start
                    let before = UInt32(truncatingIfNeeded: generator.next())
                    #expect(
                        roost_crc32c(before, part, length) == roost_crc32c_portable(before, part, length))
                }
            }
        }
    }

    @Test func `a section in pieces is compared where it is read`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("pieces-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let numbers = (0..<30_000).map { UInt32($0) }
        try numbers.withUnsafeBytes { bytes in
            try SectionFile.write(
                to: url, metadata: Data(), sections: [("whole", bytes), ("parts", bytes)], pieced: ["parts"])
        }
        #expect(try SectionFile(url).pieces(of: "whole") == nil)
        let file = try SectionFile(url)
        let place = try file.section("parts")
        #expect(try #require(try file.pieces(of: "parts")).areWhole(0..<120_000))
        try file.verify("parts")
        // Number 20,000 lies in piece 19.
        var bytes = try Data(contentsOf: url)
        let found = try #require(bytes.range(of: Data(place[79_996..<80_008]), options: .backwards))
        bytes[found.lowerBound + 5] ^= 4
        try bytes.write(to: url)
        let damaged = try SectionFile(url)
        let pieces = try #require(try damaged.pieces(of: "parts"))
        #expect(pieces.areWhole(0..<77_824))
        #expect(pieces.areWhole(81_920..<120_000))
        #expect(pieces.areWhole(80_000..<80_000))
        for _ in 0..<2 {
            #expect(!pieces.areWhole(77_823..<77_825))
            #expect(!pieces.areWhole(81_919..<81_920))
        }
        #expect(throws: SectionFile.Unusable.self) { try damaged.verify("parts") }
    }
}
