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
    func `sections are read as they were written`(count: Int) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("sections-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("a")
        let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let temporary = try FileDescriptor(temporaryIn: folder)
        try data.withUnsafeBytes { try temporary.write($0) }
        let mapped = try MappedFile(temporary)
        try data.withUnsafeBytes { bytes in
            try withExtendedLifetime(mapped) {
                try SectionFile.write(
                    to: url, metadata: Data([7]), sections: [("memory", bytes), ("file", mapped.bytes)])
            }
        }
        let file = try SectionFile(url)
        #expect(file.metadata == Data([7]))
        for name in ["memory", "file"] {
            try file.verify(name)
            #expect(try file.section(name).elementsEqual(data))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
    }

    @Test func `a section is verified page by page`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let numbers = (0..<30_000).map { UInt32($0) }
        try numbers.withUnsafeBytes { bytes in
            try SectionFile.write(to: url, metadata: Data(), sections: [("numbers", bytes)])
        }
        let file = try SectionFile(url)
        let section = try file.section("numbers")
        #expect(try file.pages(of: "numbers").areIntact(0..<120_000))
        try file.verify("numbers")
        // Number 20,000 is in page 19 (a page has 4,096 bytes).
        var bytes = try Data(contentsOf: url)
        let found = try #require(bytes.range(of: Data(section[79_996..<80_008]), options: .backwards))
        bytes[found.lowerBound + 5] ^= 4
        try bytes.write(to: url)
        let damaged = try SectionFile(url)
        let pages = try damaged.pages(of: "numbers")
        #expect(pages.areIntact(0..<77_824))
        #expect(pages.areIntact(81_920..<120_000))
        #expect(pages.areIntact(80_000..<80_000))
        for _ in 0..<2 {
            #expect(!pages.areIntact(77_823..<77_825))
            #expect(!pages.areIntact(81_919..<81_920))
        }
        #expect(throws: SectionFile.Unusable.self) { try damaged.verify("numbers") }
    }
}
