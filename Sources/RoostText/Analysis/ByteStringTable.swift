/// A hash table that numbers distinct byte strings in order of insertion, from 0.
struct ByteStringTable: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// The string numbers plus 1, indexed by hash, with the upper half of the hash in the upper half of the
    /// slot; 0 marks a free slot. The count is a power of two.
    private var slots = [UInt64](repeating: 0, count: 1024)
    private var hashes: [UInt64] = []
    /// The seed is random in each process, so nobody can construct a text whose words all collide.
    private static let seed = UInt64.random(in: .min ... .max) | 1

    var count: Int { ends.count }

    subscript(number: Int) -> ArraySlice<UInt8> { bytes[(number == 0 ? 0 : ends[number - 1])..<ends[number]] }

    mutating func insert(_ string: UnsafeBufferPointer<UInt8>) -> (number: Int, isNew: Bool) {
        let hash = Self.hash(string)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            if slots[slot] >> 32 == hash >> 32 {
                let number = Int(slots[slot] & 0xFFFF_FFFF) - 1
                if isEqual(number, string) { return (number, false) }
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        bytes.append(contentsOf: string)
        ends.append(bytes.count)
        hashes.append(hash)
        slots[slot] = (hash & ~0xFFFF_FFFF) | UInt64(ends.count)
        if ends.count * 2 > slots.count { grow() }
        return (ends.count - 1, true)
    }

    private func isEqual(_ number: Int, _ string: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = number == 0 ? 0 : ends[number - 1]
        guard ends[number] - start == string.count else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            for offset in 0..<string.count where bytes[start + offset] != string[offset] { return false }
            return true
        }
    }

    private mutating func grow() {
        slots = [UInt64](repeating: 0, count: slots.count * 4)
        for number in hashes.indices {
            var slot = Int(truncatingIfNeeded: hashes[number]) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = (hashes[number] & ~0xFFFF_FFFF) | UInt64(number + 1)
        }
    }

    private static func hash(_ string: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = seed ^ UInt64(string.count)
        var offset = 0
        func mix(_ word: UInt64) {
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = product.high ^ product.low ^ seed
        }
        let raw = UnsafeRawBufferPointer(string)
        while offset + 8 <= string.count {
            mix(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        if offset < string.count {
            var word: UInt64 = 0
            for index in offset..<string.count { word = word << 8 | UInt64(string[index]) }
            mix(word)
        }
        mix(UInt64(string.count))
        return hash
    }
}
