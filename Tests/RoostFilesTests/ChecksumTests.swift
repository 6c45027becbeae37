import CRoostKernels
import Foundation
import RoostFiles
import RoostVectors
import Testing

struct ChecksumTests {
    @Test func `checksums match RFC 3720 and the portable implementation`() {
        // Section B.4: 32 bytes of 0, of 255, ascending and descending.
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
                    let tail = bytes.baseAddress! + start
                    let before = UInt32(truncatingIfNeeded: generator.next())
                    #expect(
                        roost_crc32c(before, tail, length) == roost_crc32c_portable(before, tail, length))
                }
            }
        }
    }

    @Test(arguments: [0, 1, 4096, 5000, (4 << 20) - 1, 4 << 20, (4 << 20) + 4097])
    func `a section from a temporary file makes the same file as one from memory`(count: Int) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("spool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (folder.appendingPathComponent("a"), folder.appendingPathComponent("b"))
        let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try data.withUnsafeBytes { bytes in
            try SectionFile.write(to: first, metadata: Data(), sections: [("v", bytes)], paged: ["v"])
            var spool = try SectionSpool(in: folder)
            for start in stride(from: 0, to: count, by: 3001) {
                try spool.append(UnsafeRawBufferPointer(rebasing: bytes[start..<min(count, start + 3001)]))
            }
            #expect(spool.count == count)
            try SectionFile.write(
                to: second, metadata: Data(), contents: [("v", .spooled(spool))], paged: ["v"])
        }
        #expect(try Data(contentsOf: first) == Data(contentsOf: second))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a", "b"])
    }

    @Test func `a paged section is verified page by page`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let numbers = (0..<30_000).map { UInt32($0) }
        try numbers.withUnsafeBytes { bytes in
            try SectionFile.write(
                to: url, metadata: Data(), sections: [("single", bytes), ("paged", bytes)], paged: ["paged"])
        }
        #expect(try SectionFile(url).pages(of: "single") == nil)
        let file = try SectionFile(url)
        let section = try file.section("paged")
        #expect(try #require(try file.pages(of: "paged")).areIntact(0..<120_000))
        try file.verify("paged")
        // Number 20,000 is in page 19 (a page has 4,096 bytes).
        var bytes = try Data(contentsOf: url)
        let found = try #require(bytes.range(of: Data(section[79_996..<80_008]), options: .backwards))
        bytes[found.lowerBound + 5] ^= 4
        try bytes.write(to: url)
        let damaged = try SectionFile(url)
        let pages = try #require(try damaged.pages(of: "paged"))
        #expect(pages.areIntact(0..<77_824))
        #expect(pages.areIntact(81_920..<120_000))
        #expect(pages.areIntact(80_000..<80_000))
        for _ in 0..<2 {
            #expect(!pages.areIntact(77_823..<77_825))
            #expect(!pages.areIntact(81_919..<81_920))
        }
        #expect(throws: SectionFile.Unusable.self) { try damaged.verify("paged") }
    }
}
