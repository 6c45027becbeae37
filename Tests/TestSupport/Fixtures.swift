public import Foundation

/// The sample data in the folder `Fixtures` of the repository.
public enum Fixtures {
    /// The root folder of the repository.
    public static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder `Fixtures`.
    public static let folder = repository.appendingPathComponent("Fixtures")

    /// A BERT model of two small layers with random weights.
    public static let tinyModel = folder.appendingPathComponent("Models/tiny-bert")

    /// The number of elements of a vector of ``noteVectors()``.
    public static let noteDimension = 384

    /// Returns the vectors of 256 notes, one after the other. `Scripts/golden` creates the file.
    public static func noteVectors() throws -> [Float] {
        let data = try Data(contentsOf: folder.appendingPathComponent("Golden/notes-minilm-f16.npy"))
        // The header of the NPY file has 128 bytes.
        return data.dropFirst(128).withUnsafeBytes { bytes in
            (0..<bytes.count / 2).map {
                Float(bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Float16.self))
            }
        }
    }
}

/// Short texts on four subjects.
public enum SampleTexts {
    /// Four words of each subject.
    public static let subjects = [
        "bread oven dough flour", "boat sail wind keel", "star moon planet orbit", "swift nest roof summer",
    ]
}

/// A small deterministic generator of random numbers (SplitMix64), for tests that change bytes at random.
public struct Seeded: RandomNumberGenerator, Sendable {
    public var state: UInt64

    public init(state: UInt64) { self.state = state }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
