import Foundation
import RoostDocuments
import RoostFiles

/// The files that a search of a folder finds if there are no patterns: those with the name or extension of
/// a type that a reader supports, and files without an extension whose contents a reader recognizes.
struct KnownFiles {
    private var names: Set<String> = []
    private var extensions = RecordReader.rowExtensions
    private let readers: DocumentReaders

    /// The number of bytes that are read to recognize the contents of a file.
    private static let sampleLength = 4096
    /// The folders of a Maildir with messages, whose names have no extension but contain periods.
    private static let maildirFolders: Set = ["cur", "new"]

    init(_ readers: DocumentReaders) {
        self.readers = readers
        for type in readers.types where type.isReadInFolders {
            names.formUnion(type.fileNames)
            extensions.formUnion(type.extensions)
        }
    }

    /// Returns whether a file is found.
    ///
    /// - Parameters:
    ///   - file: The path of the file, whose beginning is read if its name does not decide.
    ///   - name: The last component of the path.
    ///   - isRegular: Whether it is a regular file. The contents of others are not read.
    func contains(_ file: String, name: String, isRegular: Bool) -> Bool {
        if names.contains(name) { return true }
        let dot = name.lastIndex(of: ".")
        if let dot {
            if extensions.contains(name[name.index(after: dot)...].lowercased()) { return true }
            guard Self.isInMaildir(file) else { return false }
        }
        guard isRegular, let sample = Self.beginning(of: file) else { return false }
        let input = DocumentInput(data: sample, path: file)
        guard let type = readers.recognized(input)?.type, type.isReadInFolders else { return false }
        // Other folders have these names, too.
        return dot == nil || type.format == .mail
    }

    private static func isInMaildir(_ file: String) -> Bool {
        file.split(separator: "/").dropLast().last.map { maildirFolders.contains(String($0)) } ?? false
    }

    /// Returns the first bytes of a file; `nil` if it cannot be read.
    private static func beginning(of file: String) -> Data? {
        // A file can be replaced by a pipe after its status was read, which would block without the flag.
        let descriptor = try? FileDescriptor(file, O_RDONLY | O_NONBLOCK)
        let sample = try? descriptor?.read(at: 0, count: sampleLength)
        return sample?.isEmpty == false ? sample : nil
    }
}
