import Foundation
import HTTPService
import KennelModel

/// Answers requests for pages and lists by their version: first from the client's own copy, then from finished bytes, and
/// only then from the database.
struct VersionedResponses: Sendable {
  let versions: ContentVersions
  private let tags: PageTags
  private let ready = ReadyPages()

  init(versions: ContentVersions, tags: PageTags) {
    self.versions = versions
    self.tags = tags
  }

  /// Returns the response to a request.
  ///
  /// - Parameters:
  ///   - viewer: the user who has signed in. The response of a user is never kept, and never compressed: its length
  ///     would show how similar its parts are, of which an attacker may know some.
  ///   - language: the language of the content, or nil if it is the same in all languages.
  ///   - fields: the header fields of all responses with this content.
  ///   - make: reads and renders the content.
  func response(
    _ resource: PageResource, to request: HTTPRequest, viewer: User?, language: Language? = nil,
    contentType: String, fields: HTTPFields = [:], make: () async throws -> ReadyPage
  ) async throws -> HTTPResponse {
    let resource = language.map { .localized(resource, $0) } ?? resource
    let coding = viewer == nil ? ContentCoding(acceptedBy: request.fields) : .identity
    var fields = fields
    // Only the visitor's own browser stores the response, and it asks each time.
    fields.append("Cache-Control", "private, no-cache")
    fields.append("Vary", "Cookie, Authorization, Accept-Encoding")
    if let language {
      fields.append("Vary", LanguageChoice.vary)
      fields.append("Content-Language", language.rawValue)
    }
    let version = try await versions.current()
    var tag = tags.tag(of: resource, at: version, for: viewer)
    let unchanged = HTTPResponse.notModified(for: request, fields: fields) { tag.length(in: $0, coding) }
    if let unchanged { return unchanged }
    if viewer == nil, let page = ready.page(resource, at: version) {
      return response(page, of: resource, to: request, tag, coding, contentType: contentType, fields: fields)
    }
    let page = try await make()
    if page.version != version { tag = tags.tag(of: resource, at: page.version, for: viewer) }
    if resource.isKept { ready.keep(page, as: resource, viewer: viewer) }
    return response(page, of: resource, to: request, tag, coding, contentType: contentType, fields: fields)
  }

  private func response(
    _ page: ReadyPage, of resource: PageResource, to request: HTTPRequest, _ tag: PageTag,
    _ wanted: ContentCoding, contentType: String, fields: HTTPFields
  ) -> HTTPResponse {
    let (body, coding) = ready.body(page, of: resource, wanted)
    var fields = fields
    for field in page.fields { fields.append(field.name, field.value) }
    if coding != .identity { fields.append("Content-Encoding", coding.rawValue) }
    return .content(
      body, for: request, contentType: contentType, fields: fields,
      entityTag: tag.entityTag(length: Int64(body.count), coding))
  }
}
