/// What a chat or a social network shows of a link to a page (OpenGraph): the title and a picture. Only pages that strangers may
/// see have it, and it contains nothing that such a page does not show.
struct LinkPreview {
  /// The length of the picture's longer side.
  private static let imageSize = 1280

  /// The name of the kennel.
  let site: String
  let title: String
  /// The photo to show, with the path below which its thumbnails are.
  let picture: PhotoPicture
  /// The beginning of all addresses, such as `https://kennel.example`: those in a preview are complete.
  let base: String
  /// The path of the page, or nil if its address is a secret.
  let path: String?

  var html: HTML {
    let (width, height) = picture.size(within: Self.imageSize)
    let address: HTML? = path.map { "<meta property=\"og:url\" content=\"\(base + $0)\">\n" }
    return """
      \(address)<meta property="og:type" content="website">
      <meta property="og:site_name" content="\(site)">
      <meta property="og:title" content="\(title)">
      <meta property="og:image" content="\(base + picture.address(Self.imageSize))&amp;format=jpeg">
      <meta property="og:image:type" content="image/jpeg">
      <meta property="og:image:width" content="\(width)">
      <meta property="og:image:height" content="\(height)">
      <meta property="og:image:alt" content="\(picture.alternative)">
      <meta name="twitter:card" content="summary_large_image">
      """
  }
}
