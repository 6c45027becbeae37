import Foundation
import RoostDocuments
import RoostModel

/// The file of an entry that contains links, which determines the meaning of their paths.
struct LinkingFile {
    /// The path of the file; empty if the entry did not come from one.
    let path: String
    /// The form of the file, by its extension.
    private let form: Form
    /// The address from which a page was saved; `nil` if it is unknown.
    private let address: URL?

    private enum Form {
        /// A text whose links are paths in its folder or names of notes.
        case note
        /// A web page, whose links are relative to its folder or to its address on the web.
        case page
        /// A book, whose relative links lead to its own parts.
        case book
        /// Another document, whose links are relative to an unknown folder.
        case other
    }

    /// The metadata that contains the address of a page.
    private static let addressKey = "url"

    init(of entry: Entry) {
        path = entry.sourcePath ?? ""
        let fileExtension = URL(fileURLWithPath: path).pathExtension.lowercased()
        form =
            if HTMLReader.type.extensions.contains(fileExtension) {
                .page
            } else if fileExtension == "epub" {
                .book
            } else if MarkdownReader.type.extensions.contains(fileExtension) {
                .note
            } else {
                .other
            }
        let stated = form == .page ? entry.metadata[Self.addressKey]?.string : nil
        address = stated.flatMap { URL(string: $0) }.flatMap { $0.host == nil ? nil : $0 }
    }

    /// Returns whether a link leads to another part of the same file.
    func isInternal(_ link: DocumentLink) -> Bool { form == .book && !link.isExternal }

    /// Returns the path that a `file:` URL names on this computer; `nil` for other links.
    static func path(ofFileURL link: DocumentLink) -> String? {
        guard link.kind != .wiki, link.target.lowercased().hasPrefix("file://") else { return nil }
        let rest = link.target.dropFirst("file://".count)
        guard let slash = rest.firstIndex(of: "/"), ["", "localhost"].contains(rest[..<slash].lowercased())
        else { return nil }
        let path = String(rest[slash...])
        return path.removingPercentEncoding ?? path
    }

    /// Returns whether the file to which a link leads exists.
    func fileExists(for link: DocumentLink) -> Bool {
        let name = link.target.removingPercentEncoding ?? link.target
        guard !name.isEmpty else { return true }
        guard name.hasPrefix("/") else {
            // An entry without a file has no folder.
            guard !path.isEmpty else { return false }
            return Self.exists(URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + name)
        }
        return Self.exists(name)
    }

    /// Returns the destination of a link that leads neither to an entry nor to a file.
    func destination(ofMissing link: DocumentLink) -> EntryLink.Destination {
        if form == .page {
            // The root of a page's site is not in the file system.
            return address != nil || link.target.hasPrefix("/") ? .external : .missing
        }
        // A vault has folders for attachments, which the names in its links do not contain.
        return link.kind == .wiki && link.namesAttachment ? .file : .missing
    }

    /// Returns a link of a page with its complete address; the link itself if the address is unknown.
    func completed(_ link: DocumentLink) -> DocumentLink {
        guard let address, let url = URL(string: link.target, relativeTo: address) else { return link }
        var complete = link
        complete.target = url.absoluteString
        return complete
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
