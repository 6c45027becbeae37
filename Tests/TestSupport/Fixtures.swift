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
