import Foundation
import RoostFiles
import TestSupport
import Testing

@testable import RoostRemote

/// Tests of signatures (with the examples that Amazon publishes), bucket addresses and credentials.
@Suite(.temporaryFolders) struct SignatureV4Tests {
    private let signature = SignatureV4(
        credentials: S3Credentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")!), region: "us-east-1")
    private let date = Date(timeIntervalSince1970: 1_369_353_600)
    private let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private func signed(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)], payload: String
    ) -> String {
        let headers = signature.signed(
            method: method, path: path, query: query, headers: headers, payload: payload, at: date)
        let value = headers.last { $0.name == "Authorization" }?.value ?? ""
        return String(value.split(separator: "=").last ?? "")
    }

    private let host = ("host", "examplebucket.s3.amazonaws.com")

    @Test func `the published examples have the published signatures`() {
        #expect(
            signed("GET", "/test.txt", headers: [host, ("Range", "bytes=0-9")], payload: empty)
                == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
        #expect(
            signed(
                "PUT", SignatureV4.percentEncoded("/test$file.text", keepingSlashes: true),
                headers: [
                    host, ("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                    ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
                ], payload: SHA256.hexadecimal(Data("Welcome to Amazon S3.".utf8)))
                == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
        #expect(
            signed("GET", "/", query: [("prefix", "J"), ("max-keys", "2")], headers: [host], payload: empty)
                == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
        #expect(
            signed("GET", "/", query: [("lifecycle", "")], headers: [host], payload: empty)
                == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    }

    @Test func `the session token is signed`() {
        var signature = signature
        signature.credentials.sessionToken = Secret("token")
        let headers = signature.signed(method: "GET", path: "/", headers: [host], payload: empty, at: date)
        #expect(headers.contains { $0.name == "x-amz-security-token" && $0.value == "token" })
        #expect(
            headers.contains { $0.name == "Authorization" && $0.value.contains(";x-amz-security-token,") })
    }

    @Test func `an address consists of a bucket and a prefix`() throws {
        func server(_ address: String, _ endpoint: String? = nil, region: String = "eu-north-1") throws
            -> String
        {
            let bucket = try S3Bucket(
                address, endpoint: endpoint, region: region, credentials: signature.credentials)
            return bucket.server.base + bucket.server.path + " " + bucket.prefix
        }
        #expect(try server("s3://notes") == "https://notes.s3.eu-north-1.amazonaws.com ")
        #expect(try server("S3://notes/a/b/") == "https://notes.s3.eu-north-1.amazonaws.com a/b")
        #expect(try server("s3://my.notes/a") == "https://s3.eu-north-1.amazonaws.com/my.notes a")
        #expect(try server("s3://notes", "http://localhost:9000") == "http://localhost:9000/notes ")
        #expect(try server("s3://notes", "https://x.example:443/") == "https://x.example/notes ")
        #expect(try server("s3://notes", "http://[::1]:9000") == "http://[::1]:9000/notes ")
        for bad in ["", "notes", "http://notes", "s3://", "s3:///a", "s3://a/../b", "s3://no te", "s3://ab"] {
            #expect(throws: (any Error).self, "\(bad)") { try server(bad) }
        }
        for bad in ["", "ftp://x", "http://", "http://u:p@x", "http://x/path", "http://x?y"] {
            #expect(throws: (any Error).self, "\(bad)") { try server("s3://notes", bad) }
        }
        #expect(throws: (any Error).self) { try server("s3://notes", region: "a b") }
    }

    @Test func `credentials are read from the same sources as by Amazon's tools`() throws {
        let home = TemporaryFolder.unusedURL()
        let folder = home.appendingPathComponent(".aws")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("credentials")
        try Data(
            """
            # comment
            [default]
            aws_access_key_id = A1
            aws_secret_access_key=S1
            s3 =
              aws_access_key_id = nested
            [ work ]
            AWS_ACCESS_KEY_ID=A2
            aws_secret_access_key = S2==
            aws_session_token = T2
            """.utf8
        ).write(to: file)
        #expect(S3Credentials.standard(environment: [:], home: home)?.accessKey == "A1")
        let work = S3Credentials.standard(environment: ["AWS_PROFILE": "work"], home: home)
        #expect(work?.accessKey == "A2" && work?.secretKey.text == "S2==" && work?.sessionToken?.text == "T2")
        #expect(S3Credentials.standard(environment: ["AWS_PROFILE": "none"], home: home) == nil)
        let given = S3Credentials.standard(
            environment: ["AWS_ACCESS_KEY_ID": "A3", "AWS_SECRET_ACCESS_KEY": "S3\n"], home: home)
        #expect(given?.accessKey == "A3" && given?.secretKey.text == "S3" && given?.sessionToken == nil)
        #expect("\(given!)".contains("S3\n") == false)
        let moved = S3Credentials.standard(
            environment: ["AWS_SHARED_CREDENTIALS_FILE": file.path, "AWS_PROFILE": "work"],
            home: home.appendingPathComponent("elsewhere"))
        #expect(moved?.accessKey == "A2")
    }
}
