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
}
