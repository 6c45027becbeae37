import Foundation
import RoostDocuments
import Testing

/// Tests of the sections of source code, with the files in `Fixtures/Documents/code`.
@Suite struct CodeReaderTests {
    private static let folder = DocumentFixture.folder.deletingLastPathComponent().appendingPathComponent(
        "code")

    private func sections(_ name: String) async throws -> (text: String, structure: TextStructure) {
        let data = try Data(contentsOf: Self.folder.appendingPathComponent(name))
        let documents = try await DocumentFixture.documents(DocumentInput(data: data, path: name))
        let document = try #require(documents.first)
        return (document.text, TextStructure(of: document.text, format: document.format))
    }

    @Test func `the title of source code is the name of the file`() async throws {
        let input = DocumentInput(data: Data("import json\n\nx = 1\n".utf8), path: "tools/main.py")
        #expect(try await DocumentFixture.documents(input).map(\.title) == ["main.py"])
    }

    @Test(arguments: [
        ("py", ["Barrel", "Barrel/litres", "Barrel/fill"]),
        (
            "swift",
            ["Barrel", "Barrel/description", "Barrel/init", "Barrel/==", "Barrel/fill", "Barrel/Color"]
        ),
        ("c", ["barrel", "fill", "main"]),
        (
            "cpp",
            [
                "garden", "garden/Barrel", "garden/Barrel/Barrel", "garden/Barrel/~Barrel",
                "garden/Barrel::size",
                "garden/fill", "plain",
            ]
        ),
        ("cs", ["Garden", "Garden/Barrel", "Garden/Barrel/Barrel", "Garden/Barrel/FillAsync"]),
        ("m", ["Barrel", "Barrel/fill:color:", "Barrel/make", "helper"]),
        ("java", ["Barrel", "Barrel/Barrel", "Barrel/compareTo", "Barrel/Listener"]),
        ("kt", ["Q", "Q/lazyValue", "Q/companion", "Q/companion/other"]),
        ("scala", ["Barrel", "Barrel/fill", "Barrel/size", "Barrel/apply"]),
        ("go", ["Server", "Start", "main"]), ("rs", ["Point", "Point/fmt", "Point/zero"]),
        ("zig", ["Barrel", "Barrel/fill", "main"]),
        ("js", ["Barrel", "Barrel/constructor", "Barrel/fill", "walk", "make"]),
        ("ts", ["Shape", "Circle", "Circle/constructor", "Circle/area", "Circle/name", "make", "main"]),
        ("vue", ["load"]), ("svelte", ["load"]), ("php", ["C", "C/run", "C/other", "top"]),
        ("rb", ["Garden", "Garden/Barrel", "Garden/Barrel/fill", "Garden/Barrel/create"]),
        ("pl", ["fill", "size"]), ("lua", ["M.fill", "helper", "M.other"]), ("r", ["fill", "size"]),
        ("jl", ["Garden", "Garden/Barrel", "Garden/fill"]), ("ex", ["Garden.Barrel", "Garden.Barrel/fill"]),
        ("sh", ["fill", "other"]),
        ("hs", ["Tree", "Functor", "insert"]), ("ml", ["tree", "insert", "Set"]), ("erl", ["fill"]),
        ("clj", ["garden.barrel", "fill", "helper"]), ("sql", ["users", "f"]),
        ("css", ["body, .main > a[href= ]", "@media print"]),
    ])
    func `Declarations are sections, in spite of strings and comments`(
        fileExtension: String, expected: [String]
    ) async throws {
        let (text, structure) = try await sections("sample." + fileExtension)
        var paths: [String] = []
        for section in structure.sections where !section.headings.isEmpty {
            let path = section.headings.joined(separator: "/")
            if !paths.contains(path) { paths.append(path) }
        }
        #expect(paths == expected)
        #expect(structure.sections.map(\.range.lowerBound).first == 0)
        #expect(structure.sections.last?.range.upperBound == text.utf8.count)
        for (first, second) in zip(structure.sections, structure.sections.dropFirst()) {
            #expect(first.range.upperBound == second.range.lowerBound)
        }
    }

    @Test(arguments: [
        (
            "a.java",
            "class A {\n@Cached(\"a\")\n@org.b.Safe(x = {1})\npublic @Nullable(\"x\") String find(int a) {\nreturn 1;\n}\n}",
            ["A", "find"]
        ),
        (
            "b.java", "@interface A {\nString value();\nint size();\n}\n@B(1)\nclass C {\n\nint x;\n}",
            ["A", "C"]
        ),
        (
            "c.ts",
            "class A {\n  @Input() @Other({ a: 1 }) run(x: string) {\n    call();\n    return 1;\n  }\n}",
            ["A", "run"]
        ),
        ("d.kt", "@Composable(\"a\")\nfun Screen(x: Int) {\n  call()\n  call()\n}", ["Screen"]),
    ])
    func `An annotation with arguments is not the name`(name: String, code: String, expected: [String])
        async throws
    {
        let structure = TextStructure(
            of: code, format: try await DocumentFixture.document(code, name: name).format)
        var names: [String] = []
        for name in structure.sections.compactMap(\.headings.last) where !names.contains(name) {
            names.append(name)
        }
        #expect(names == expected)
    }

    @Test func `Comments and attributes belong to the declaration that follows`() async throws {
        let (text, structure) = try await sections("sample.rs")
        let bytes = Array(text.utf8)
        let point = try #require(structure.sections.first { $0.headings == ["Point"] })
        #expect(
            String(decoding: bytes[point.range], as: UTF8.self).hasPrefix("/// A point.\n#[derive(Debug)]"))
        let zero = try #require(structure.sections.first { $0.headings == ["Point", "zero"] })
        #expect(String(decoding: bytes[zero.range], as: UTF8.self).contains("/* { */"))
    }

    @Test func `A script without an extension is recognized by its interpreter`() throws {
        let input = DocumentInput(data: Data("#!/usr/bin/env python3\nx = 1\n".utf8), path: "tool")
        #expect(DocumentFixture.readers.match(input)?.type.name == "python")
    }

    @Test func `Quotation marks after a backslash begin no string of a shell script`() async throws {
        let script = """
            function first() {
              text='your shell'\\''s file'
              other='\\'
              echo "$text"
            }

            function second() {
              echo 1
              echo 2
            }
            """
        let document = try await DocumentFixture.document(script, name: "a.sh")
        let structure = TextStructure(of: document.text, format: document.format)
        #expect(structure.sections.map(\.headings) == [["first"], ["second"]])
    }

    @Test func `Minified code is not read`() async throws {
        let line = String(repeating: "a=1;", count: 1000)
        await #expect(throws: DocumentError.self) {
            try await DocumentFixture.document(line, name: "a.min.js")
        }
    }

    @Test func `No two languages use the same extension`() {
        let extensions = CodeReader().types.flatMap(\.extensions)
        #expect(Set(extensions).count == extensions.count)
        #expect(CodeReader().types.count >= 30)
    }
}
