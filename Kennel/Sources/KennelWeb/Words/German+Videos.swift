extension Words {
  /// What errors say about videos.
  static let videoSentences: [(String, String)] = [
    (
      "The video has more than {}. Make it shorter, or save it with a lower resolution.",
      "Das Video hat mehr als {}. Kürze es, oder speichere es mit einer niedrigeren Auflösung."
    ),
    (
      "This kennel accepts no videos. Upload a photo, or ask the owner to change the setting max-video.",
      "Dieser Kennel nimmt keine Videos an. Teile ein Foto, oder frag einen Admin."
    ),
    (
      "Videos in fragments are not supported. Save the video as an ordinary MP4 file.",
      "Videos in Fragmenten werden nicht unterstützt. Speichere das Video als gewöhnliche MP4-Datei."
    ),
    ("The file has no pictures. Use a video.", "Die Datei hat keine Bilder. Verwende ein Video."),
    (
      "The video is coded as {}. Use a video with H.264 or HEVC.",
      "Das Video ist als {} codiert. Verwende ein Video mit H.264 oder HEVC."
    ),
    (
      "The sound of the video is coded as {}. Use a video with AAC sound.",
      "Der Ton des Videos ist als {} codiert. Verwende ein Video mit AAC-Ton."
    ),
    (
      "The video refers to other files. Save it as an independent file.",
      "Das Video verweist auf andere Dateien. Speichere es als eigenständige Datei."
    ),
    (
      "The video has {} × {} pixels. Save it with a lower resolution.",
      "Das Video hat {} × {} Pixel. Speichere es mit einer niedrigeren Auflösung."
    ),
    (
      "The video is incomplete: {}. Upload the complete file.",
      "Das Video ist unvollständig. Lade die vollständige Datei hoch."
    ),
    (
      "The video is damaged: {}. Save it again in a video editor and upload the new file.",
      "Das Video ist beschädigt. Speichere es in einem Videoprogramm neu, und lade die neue Datei hoch."
    ),
  ]
}
