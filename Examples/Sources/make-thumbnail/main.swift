// Loads a picture and writes a thumbnail of it as a JPEG file.
//
//   make-thumbnail URL FILE
import Foundation
import Retriever
import RetrieverImages

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]) else {
  print("usage: make-thumbnail URL FILE")
  exit(2)
}
let (data, _) = try await URLSession.shared.data(from: url)
guard let image = UIImage(data: data),
  let thumbnail = await image.byPreparingThumbnail(ofSize: CGSize(width: 80, height: 60)),
  let jpeg = thumbnail.jpegData(compressionQuality: 0.8)
else {
  print("This is not a picture that can be read.")
  exit(1)
}
try jpeg.write(to: URL(fileURLWithPath: arguments[2]))
let (from, to) = (image.size, thumbnail.size)
print("\(Int(from.width))x\(Int(from.height)) to \(Int(to.width))x\(Int(to.height))")
