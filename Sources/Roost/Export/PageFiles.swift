import CRoostPage
package import Foundation
import RoostFiles

/// The files of the page in the browser, which are a part of the program.
package enum PageFiles {
    package struct File: Sendable {
        package var name: String
        package var type: String
        package var data: Data

        var text: String { String(decoding: data, as: UTF8.self) }
    }

    /// All files. A module is after those that it imports.
    package static let all: [File] = {
        var files: [File] = []
        while let file = roost_page_file_at(files.count)?.pointee {
            files.append(
                File(
                    name: String(cString: file.name), type: String(cString: file.type),
                    data: Data(bytes: file.bytes, count: file.length)))
        }
        return files
    }()

    /// - Precondition: A file has the name.
    package static func named(_ name: String) -> File {
        guard let file = all.first(where: { $0.name == name }) else {
            preconditionFailure("the page has no file \(name)")
        }
        return file
    }

    /// Returns one file that shows data without a server: the page with its style, its modules and the data inside.
    ///
    /// The content security policy permits only this style and this script, by their digests.
    ///
    /// - Parameter json: The data. It is inside an element, so it must not contain the character `<`.
    static func document(with json: String) -> Data {
        let (style, script) = (named("page.css").text, script())
        let policy =
            "default-src 'none'; script-src '\(digest(script))'; style-src '\(digest(style))'; img-src data:; "
            + "base-uri 'none'; form-action 'none'"
        let parts = [
            (
                #"<meta name="color-scheme""#,
                "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">\n<meta name=\"color-scheme\""
            ),
            (#"<link rel="stylesheet" href="/page/page.css">"#, "<style>\(style)</style>"),
            (
                #"<script type="module" src="/page/main.js"></script>"#,
                "<script id=\"data\" type=\"application/json\">\(json)</script>\n"
                    + "<script type=\"module\">\(script)</script>"
            ),
        ]
        let page = parts.reduce(named("page.html").text) { page, part in
            precondition(page.contains(part.0), "the page lacks \(part.0)")
            return page.replacing(part.0, with: part.1, maxReplacements: 1)
        }
        return Data(page.utf8)
    }

    /// Returns all modules as one. Each import is a line, and the modules use different names.
    private static func script() -> String {
        all.filter { $0.name.hasSuffix(".js") }.flatMap { $0.text.split(separator: "\n") }
            .filter { !$0.hasPrefix("import ") }
            .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
            .joined(separator: "\n")
    }

    private static func digest(_ text: String) -> String {
        "sha256-" + Data(SHA256.hash(Data(text.utf8))).base64EncodedString()
    }
}
