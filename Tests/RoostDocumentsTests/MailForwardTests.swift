import Foundation
import Testing

@testable import RoostDocuments

/// Earlier messages that programs copy into a message without quotation marks.
@Suite struct MailForwardTests {
    private static let headers =
        "From: Carl <c@e.org>\nSent: Monday, March 4, 2024\nTo: Ada\nSubject: Budget\n"
    private static let earlier = "The greenhouse costs four hundred euros.\n"

    /// Returns the parts of a message in plain text that are not embedded.
    private static func hidden(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return TextStructure(of: text, format: .mail).hiddenParts.map {
            String(decoding: bytes[$0.range], as: UTF8.self)
        }.joined()
    }

    /// Returns a message with a subject as a document.
    private static func document(_ subject: String, _ body: String) async throws -> Document {
        let header = "From: a@e.org\nSubject: \(subject)\nMIME-Version: 1.0\n"
        return try await DocumentFixture.document(
            header + "Content-Type: text/plain; charset=utf-8\n\n" + body, name: "a.eml")
    }

    @Test(arguments: ["", "________________________________\n", "\\_\\_\\_\\_\n"])
    func `An answer of Outlook hides the earlier message below its headers`(rule: String) {
        let original = rule + Self.headers + "\n" + Self.earlier
        #expect(Self.hidden("Agreed.\n\n" + original) == original)
    }

    @Test(arguments: [
        "Von: Carl\nGesendet: Montag\nAn: Ada\nBetreff: Budget\n",
        "De : Carl\nEnvoyé : lundi\nÀ : Ada\nObjet : Budget\n",
        "*From:* Carl\n*Date:* Monday\n*To:* Ada\n*Subject:* Budget\n",
        "From: Carl with a very long name\n<carl@example.org>\nSent: Monday\nSubject: Budget\n",
        "From: Carl\n\nSent: Monday\n\nTo: Ada\n\nSubject: Budget\n",
    ])
    func `Headers are recognized in several forms`(headers: String) {
        #expect(Self.hidden("Agreed.\n\n\(headers)\n\(Self.earlier)") == headers + "\n" + Self.earlier)
    }

    @Test(arguments: [
        "From: the beginning we had trouble.\nDate: unknown\nSubject matter is hard.\n",
        "Yes.\nFrom: A\nSent: B\nSubject: C\n", "Subject: A\nDate: B\nFrom: C\n",
        "From: A\nTo: B\nSubject: C\n",
    ])
    func `Other lines with colons are text`(text: String) {
        #expect(Self.hidden("Hello.\n\n" + text + "\nMore.\n") == "")
    }

    @Test(arguments: ["FW: Budget", "WG: Budget", "Fwd: Re: Budget", "TR : Budget"])
    func `A message that Outlook forwards is content`(subject: String) async throws {
        for mark in ["-----Original Message-----\n", "________________\n", ""] {
            let document = try await Self.document(
                subject, "See below.\n\n" + mark + Self.headers + "\n" + Self.earlier)
            #expect(Self.hidden(document.text) == "")
            let expected =
                "See below.\n\n---------- Forwarded message ----------\n\(Self.headers)\n\(Self.earlier)"
                .trimmed
            #expect(document.text == expected)
        }
    }

    @Test func `Earlier messages in a forwarded one are content`() async throws {
        let body =
            "See below.\n\n" + Self.headers + "\nYes.\n\n-----Original Message-----\n" + Self.headers + "\n"
            + Self.earlier
        #expect(Self.hidden(try await Self.document("FW: Budget", body).text) == "")
        #expect(Self.hidden(try await Self.document("RE: FW: Budget", body).text).hasPrefix("From: Carl"))
    }

    @Test func `The text of other messages is not changed`() async throws {
        let body = "Yes.\n\n-----Original Message-----\n" + Self.headers + "\nOld."
        #expect(try await Self.document("Re: Budget", body).text == body)
        let forwarded = "---------- Forwarded message ---------\nFrom: B\n\nOld."
        #expect(try await Self.document("Fwd: Budget", forwarded).text == forwarded)
        #expect(try await Self.document("FW: Budget", "No earlier message.").text == "No earlier message.")
    }

    @Test func `An attribution on two lines is hidden with its quotation`() {
        let attribution = "On Mon, Mar 4, 2024 at 9:00 AM Carl Friedrich <\nc@e.org> wrote:\n"
        #expect(Self.hidden("Agreed.\n\n\(attribution)\n> Old.\n") == attribution + "> Old.\n")
        #expect(Self.hidden("On 4 March we met.\nHe wrote:\n> Old.\n") == "He wrote:\n> Old.\n")
        #expect(Self.hidden("\(attribution)\nNo quotation.\n> Old.\n") == "> Old.\n")
    }

    @Test func `The header and the signature of OpenPGP are hidden`() {
        let header = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n"
        let signature = "-----BEGIN PGP SIGNATURE-----\n\niQEzBAEB\n-----END PGP SIGNATURE-----\n"
        let hidden = Self.hidden(header + "\nHash: the text\n" + signature + "\nA footer.\n")
        #expect(hidden == header + signature)
        #expect(Self.hidden("The line -----BEGIN PGP SIGNATURE----- begins it.\n") == "")
        let start = "-----BEGIN PGP SIGNATURE-----\n"
        #expect(Self.hidden("Agreed.\n\(start)\nThe rest.\n") == "")
        #expect(Self.hidden("Agreed.\n\(start)\nThe rest.\n" + signature) == signature)
        #expect(Self.hidden("Agreed.\n" + signature + start + "The rest.\n") == signature)
    }

    @Test func `The line of a device is hidden at the end and before a quotation`() {
        #expect(Self.hidden("Agreed.\n\nSent from my iPhone\n") == "Sent from my iPhone\n")
        #expect(Self.hidden("Ja.\n\nVon meinem iPhone gesendet\n\n") == "Von meinem iPhone gesendet\n")
        let answer = "Agreed.\nSent from my iPhone\n\nOn 4 March, Ada wrote:\n> Old.\n"
        #expect(Self.hidden(answer).hasPrefix("Sent from my iPhone\n"))
        #expect(Self.hidden("Sent from my desk on Monday\nit arrived today.\n") == "")
    }

    @Test(arguments: [
        "Get Outlook for iOS<https://aka.ms/o0ukef>", "Sent via BlackBerry", "Sent from my Galaxy S24",
        "Envoyé de mon téléphone",
        "Wysłane z iPhone'a", "Skickat från min mobil", "Sent from my Samsung Galaxy smartphone.",
    ])
    func `The line of a device names a device or a program`(line: String) {
        #expect(Self.hidden("Agreed.\n\n\(line)\n") == line + "\n")
    }

    @Test(arguments: [
        "Sent via DHL, tracking number RR123456789DE, arriving Thursday.",
        "Sent from my old address, please use the new one.", "Wysłane z magazynu w Gdyni.",
        "Sent via Gmail. Call me.", "Sent from my phone to all of the members.",
        "Sent via Outlook 2 days ago",
        "Sent from my desk",
    ])
    func `A last sentence that only begins like the line of a device is visible`(line: String) {
        #expect(Self.hidden("Agreed.\n\n\(line)\n") == "")
    }
}
