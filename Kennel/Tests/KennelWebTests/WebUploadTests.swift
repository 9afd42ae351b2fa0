import Foundation
import KennelTestSupport
import Retriever
import RetrieverImages
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebUploadTests {
  private func form(_ parts: [(head: String, body: Data)], boundary: String = "xyz", isComplete: Bool = true)
    -> Data
  {
    var data = Data()
    for part in parts {
      data.append(Data("--\(boundary)\r\n\(part.head)\r\n\r\n".utf8))
      data.append(part.body)
      data.append(Data("\r\n".utf8))
    }
    if isComplete { data.append(Data("--\(boundary)--\r\n".utf8)) }
    return data
  }

  private let formType = ["Content-Type": "multipart/form-data; boundary=xyz"]
  private let photoHead =
    "Content-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\nContent-Type: image/jpeg"
  private let captionHead = "Content-Disposition: form-data; name=\"caption\""

  @Test func `a photo can be uploaded as the request body`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let jpeg = try SiteFixture.jpeg(1)
      let fields = try await web.cookie().merging(["Content-Type": "image/jpeg"]) { $1 }
      let answer = try await web.ask("POST", "/posts?caption=At%20the%20sea", fields, body: jpeg)
      #expect(answer.status == 201)
      #expect(answer.field("Location") == "/posts/1")
      #expect(try answer.json["caption"]?.string == "At the sea")
      #expect(try answer.json["photo"]?["width"]?.number == 40)
      let photo = try await web.get("/posts/1/photo")
      #expect(photo.data == jpeg)
      #expect(photo.field("Content-Type") == "image/jpeg")
    }
  }

  @Test func `a form can have the photo and the caption in any order`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let jpegs = [try SiteFixture.jpeg(1), try SiteFixture.jpeg(2)]
      let photos = jpegs.map { (photoHead, $0) }
      let caption = (captionHead, Data("Grüße \"<b>\"".utf8))
      let other = ("Content-Disposition: form-data; name=\"more\"", Data("x".utf8))
      for (index, parts) in [[photos[0], caption], [caption, other, photos[1]]].enumerated() {
        let fields = SiteFixture.basic("Ada").merging(formType) { $1 }
        let answer = try await web.ask("POST", "/posts", fields, body: form(parts))
        #expect(answer.status == 201)
        #expect(try answer.json["caption"]?.string == "Grüße \"<b>\"")
        let photo = try await web.get("/posts/\(index + 1)/photo").data
        #expect(photo == jpegs[index])
      }
    }
  }

  @Test func `a photo that was already shared is shared again only on request`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      _ = try await web.store.addUser("Ben")
      let jpeg = try SiteFixture.jpeg(1)
      let type = ["Content-Type": "image/jpeg"]
      let ada = try await web.cookie().merging(type) { $1 }
      #expect(try await web.ask("POST", "/posts", ada, body: jpeg).status == 201)
      let ben = try await web.cookie("Ben").merging(type) { $1 }
      let known = try await web.ask("POST", "/posts", ben, body: jpeg)
      #expect(known.status == 409 && known.field("Location") == "/posts/1")
      #expect(try known.json["post"]?.number == 1)
      #expect(
        try known.json["detail"]?.string?.hasPrefix("The photo was already shared. It is at /posts/1.")
          == true)
      #expect(try await web.ask("POST", "/posts?duplicate=deny", ben, body: jpeg).status == 400)
      #expect(try await web.ask("POST", "/posts?duplicate=allow", ben, body: jpeg).status == 201)
      // A photo without a post can be shared again.
      for post in 1...2 {
        #expect(try await web.ask("DELETE", "/posts/\(post)", post == 1 ? ada : ben).status == 204)
      }
      #expect(try await web.ask("POST", "/posts", ben, body: jpeg).status == 201)
    }
  }

  @Test func `of several uploads of a photo at the same time, one is shared`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let jpeg = try SiteFixture.jpeg(1)
      let fields = try await web.cookie().merging(["Content-Type": "image/jpeg"]) { $1 }
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let answer = try await web.ask("POST", "/posts", fields, body: jpeg)
            return answer.status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.sorted() == [201] + Array(repeating: 409, count: 7))
    }
  }

  @Test func `an upload without credentials is refused before its body is read`() async throws {
    try await withSite { web in
      let answer = try await web.ask(
        "POST", "/posts", ["Content-Type": "image/jpeg"], body: try SiteFixture.jpeg(1))
      #expect(answer.status == 401)
      #expect(answer.field("WWW-Authenticate") == "Basic realm=\"Kennel\"")
      #expect(answer.field("Content-Type") == "application/problem+json")
      #expect(try web.store.incomingFiles() == [])
    }
  }

  @Test func `a request from a script gets no Basic challenge`() async throws {
    try await withSite { web in
      let fields = ["Content-Type": "image/jpeg", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin"]
      let answer = try await web.ask("POST", "/posts", fields, body: try SiteFixture.jpeg(1))
      #expect(answer.status == 401)
      #expect(answer.field("WWW-Authenticate") == "Session realm=\"Kennel\"")
    }
  }

  @Test func `browsers without TLS get no Basic challenge, and their old credentials are ignored`()
    async throws
  {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let browser = ["User-Agent": "Mozilla/5.0 (X11; Linux x86_64)", "Accept-Language": "de"]
      let refused = try await web.get("/you", browser)
      #expect(refused.status == 401 && refused.field("WWW-Authenticate") == "Session realm=\"Kennel\"")
      let signedOut = try await web.get("/you", SiteFixture.basic("Ada").merging(browser) { $1 })
      #expect(signedOut.status == 401)
      #expect(try await web.get("/you", SiteFixture.basic("Ada")).status == 200)
    }
  }

  @Test func `the Basic credentials of a URLSession task are accepted`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      final class Answerer: NSObject, Retriever.URLSessionTaskDelegate {
        func urlSession(
          _ session: Retriever.URLSession, task: Retriever.URLSessionTask,
          didReceive challenge: Retriever.URLAuthenticationChallenge
        ) async -> (Retriever.URLSession.AuthChallengeDisposition, Retriever.URLCredential?) {
          (
            .useCredential,
            Retriever.URLCredential(user: "Ada", password: "correct horse", persistence: .forSession)
          )
        }
      }
      let request = try web.request("POST", "/posts", ["Content-Type": "image/jpeg"])
      let (_, response) = try await web.session.upload(
        for: request, from: try SiteFixture.jpeg(1), delegate: Answerer())
      #expect((response as? Retriever.HTTPURLResponse)?.statusCode == 201)
    }
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var name: String
    var type: String
    var status: Int
    var detail: String
    var body: @Sendable () throws -> Data
    var testDescription: String { name }
  }

  static let refusals: [Refusal] = [
    Refusal(name: "text", type: "text/plain", status: 415, detail: "content type") { Data("hello".utf8) },
    Refusal(name: "no photo", type: "image/jpeg", status: 415, detail: "JPEG, PNG, WebP, GIF, HEIC or AVIF") {
      Data("GIF? no.".utf8)
    },
    Refusal(name: "SVG", type: "image/svg+xml", status: 415, detail: "JPEG, PNG, WebP, GIF, HEIC or AVIF") {
      Data("<svg onload=\"alert(1)\"/>".utf8)
    },
    Refusal(name: "empty", type: "image/jpeg", status: 422, detail: "empty") { Data() },
    Refusal(name: "incomplete", type: "image/jpeg", status: 422, detail: "incomplete") {
      try SiteFixture.jpeg(1, width: 400, height: 300).prefix(2000)
    },
    Refusal(name: "too many pixels", type: "image/png", status: 413, detail: "50 megapixels") {
      // A PNG header with a size of 20,000 × 20,000.
      Data([
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0x4E, 0x20,
        0,
        0, 0x4E, 0x20, 8, 2, 0, 0, 0, 0x6C, 0x12, 0xD1, 0x6E, 0, 0, 0, 9, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C,
      ])
    },
    Refusal(name: "too many bytes", type: "image/jpeg", status: 413, detail: "25 MiB") {
      Data(count: (25 << 20) + 1)
    },
    Refusal(name: "no boundary", type: "multipart/form-data", status: 400, detail: "boundary") {
      Data("--xyz--".utf8)
    },
    Refusal(name: "no part", type: "multipart/form-data; boundary=xyz", status: 422, detail: "no photo") {
      Data("--xyz--".utf8)
    },
    Refusal(
      name: "incomplete form", type: "multipart/form-data; boundary=xyz", status: 400, detail: "last boundary"
    ) {
      Data("--xyz\r\nContent-Disposition: form-data; name=\"photo\"\r\n\r\nabc".utf8)
    },
  ]

  @Test(arguments: refusals) func `an invalid upload is refused with a reason`(refusal: Refusal) async throws
  {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let fields = SiteFixture.basic("Ada").merging(["Content-Type": refusal.type]) { $1 }
      let answer = try await web.ask("POST", "/posts", fields, body: try refusal.body())
      #expect(answer.status == refusal.status)
      let detail = try #require(try answer.json["detail"]?.string)
      #expect(detail.contains(refusal.detail), "\(detail)")
      #expect(detail.hasSuffix("."))
      #expect(try await web.store.posts.page().isEmpty)
      #expect(try web.store.photoFiles().isEmpty)
    }
  }

  @Test func `a photo whose damage does not hide rows is accepted, as in every browser`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let fields = SiteFixture.basic("Ada").merging(["Content-Type": "image/png"]) { $1 }
      var png = try #require(try SiteFixture.picture(1, width: 200, height: 200).pngData())
      // The last byte of the checksum of the pixels, before the chunk that ends the file.
      png[png.endIndex - 13] ^= 1
      #expect(try await web.ask("POST", "/posts", fields, body: png).status == 201)
    }
  }

  @Test func `the message of a decoder is separate from the error message`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let fields = SiteFixture.basic("Ada").merging(["Content-Type": "image/png"]) { $1 }
      var png = try #require(try SiteFixture.picture(1, width: 200, height: 200).pngData())
      // Damages the compressed pixels.
      let middle = png.startIndex + png.count / 2
      for index in middle..<middle + 40 { png[index] ^= 0xFF }
      let damaged = try await web.ask("POST", "/posts", fields, body: png).json
      #expect(
        damaged["detail"]?.string
          == "The photo is damaged. Save it again in an image editor and upload the new file.")
      #expect(damaged["cause"]?.string?.contains("PNG") == true, "\(damaged["cause"] ?? .null)")
      let short = try await web.ask(
        "POST", "/posts", fields, body: try SiteFixture.jpeg(1, width: 400, height: 300).prefix(2000)
      ).json
      #expect(short["detail"]?.string == "The photo is incomplete. Upload the complete file.")
      #expect(short["cause"]?.string?.isEmpty == false)
    }
  }

  @Test func `a body without a length is also limited`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      var request = try web.request("POST", "/posts", SiteFixture.basic("Ada"))
      request.setValue("image/jpeg", forHTTPHeaderField: "Content-Type")
      request.httpBodyStream = InputStream(data: Data(count: (25 << 20) + 10))
      let (data, response) = try await web.session.data(for: request)
      #expect((response as? Retriever.HTTPURLResponse)?.statusCode == 413)
      #expect(String(decoding: data, as: UTF8.self).contains("Make it smaller."))
    }
  }

  @Test func aCaptionThatIsTooLongIsRefused() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let fields = SiteFixture.basic("Ada").merging(formType) { $1 }
      let long = (captionHead, Data(String(repeating: "x", count: 2001).utf8))
      let body = form([(photoHead, try SiteFixture.jpeg(1)), long])
      let answer = try await web.ask("POST", "/posts", fields, body: body)
      #expect(answer.status == 422)
      #expect(try answer.json["detail"]?.string?.contains("2000 characters") == true)
      let huge = form([(captionHead, Data(count: 100_000)), (photoHead, try SiteFixture.jpeg(1))])
      #expect(try await web.ask("POST", "/posts", fields, body: huge).status == 422)
    }
  }

  /// Pictures of 64 × 20 pixels by Debian's heif-enc and avifenc.
  private static let phonePictures = [
    "heic":
      "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAa1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA"
      + "AA5waXRtAAAAAAACAAAAEGlkYXQAAAAAAEAAFAAAADhpbG9jAQAAAERAAAIAAQAAAAAAAAHRAAEAAAAAAAAAbQACAAEAAAAAAAAA"
      + "AQAAAAAAAAAIAAAAOGlpbmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAVaW5mZQIAAAAAAgAAZ3JpZAAAAADYaXBycAAA"
      + "ALZpcGNvAAAAdmh2Y0MBA3AAAAAAAAAAAAAe8AD8/fj4AAAPAyAAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwAeugJAIQABACpCAQED"
      + "cAAAAwCQAAADAAADAB6gIIEFluqumubgQEDAgAAAAwCAAAADAIQiAAEABkQBwXPBiQAAABRpc3BlAAAAAAAAAEAAAABAAAAAFGlz"
      + "cGUAAAAAAAAAQAAAABQAAAAQcGl4aQAAAAADCAgIAAAAGmlwbWEAAAAAAAAAAgABAoECAAICA4QAAAAaaXJlZgAAAAAAAAAOZGlt"
      + "ZwACAAEAAQAAAHVtZGF0AAAAaSgBr1IaecqA5wEK0L2YI7hZcNbExzqSjdM6JZppxppgGtmqe3DicRTCo4q9h5loCNRLN2brMEZX"
      + "Jo2zH+SFTRmiwXsOev51ymXQguSSivIVODp8eOdkySDP+SZu8MlN6xMxQKxLy7dxwA==",
    "avif":
      "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAA"
      + "AGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAG8AAAAoaWluZgAAAAAAAQAAABppbmZl"
      + "AgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAEAAAAAUAAAAEHBpeGkAAAAAAwgICAAAAAxh"
      + "djFDgSAAAAAAABNjb2xybmNseAABAA0ABoAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAAHdtZGF0EgAKCTgVP5sICGg0gDJgF4AJ"
      + "JJJEAPFdTChBIEOeZ+ib4tb8QRGh28CrylBb2F9isXNwqcQ+J2b1B0ZKHU/HF9sH3zlnP2zBa5n4ocNqXY2qzvUepFmHIw41iqE+"
      + "O1fbJ3QN1LVCKv5D0T60S7Co",
  ]

  @Test(arguments: ["heic", "avif"])
  func `pictures of phones are accepted, and have thumbnails that browsers can show`(format: String)
    async throws
  {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let bytes = try #require(Self.phonePictures[format].flatMap { Data(base64Encoded: $0) })
      let fields = SiteFixture.basic("Ada").merging(["Content-Type": "image/\(format)"]) { $1 }
      let answer = try await web.ask("POST", "/posts", fields, body: bytes)
      #expect(answer.status == 201)
      // If the metadata of a format cannot be taken out, others get another picture, and the author gets the file.
      let shown = (try? StrippedImage(data: bytes)) == nil ? "jpeg" : format
      #expect(try answer.json["photo"]?["format"]?.string == shown)
      #expect(try await web.get("/posts/1/photo").field("Content-Type") == "image/\(shown)")
      let uploaded = try await web.get("/posts/1/uploaded", SiteFixture.basic("Ada"))
      #expect(uploaded.data == bytes && uploaded.field("Content-Type") == "image/\(format)")
      #expect(try await web.get("/posts/1/thumbnail").field("Content-Type") == "image/jpeg")
    }
  }

  @Test(arguments: [ImageEncoding.png, .webp(), .jpeg(isProgressive: true)])
  func `each supported photo format is accepted`(encoding: ImageEncoding) async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let bytes = try await SiteFixture.picture(1, width: 64, height: 20).data(as: encoding)
      // The declared type is ignored; the format is detected from the bytes.
      let fields = SiteFixture.basic("Ada").merging(["Content-Type": "image/jpeg"]) { $1 }
      let answer = try await web.ask("POST", "/posts", fields, body: bytes)
      #expect(answer.status == 201)
      let format = try #require(try answer.json["photo"]?["format"]?.string)
      #expect(try await web.get("/posts/1/photo").field("Content-Type") == "image/\(format)")
      #expect(try await web.get("/posts/1/thumbnail").status == 200)
    }
  }
}
