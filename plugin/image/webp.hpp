#pragma once
// WebP: its chunks, and pictures as libwebp takes and gives them; internal to the room.

#include "plugin/image/picture_file.hpp"

#include <webp/encode.h>

namespace lowtide::image {

/// Error{Internal} where libwebp is another one than this was built for.
[[nodiscard]] WebPConfig webpConfig(const PictureEncoding& encoding);

/// A picture in libwebp's own form, while it is encoded.
class WebPSource {
public:
    /// Grey becomes colour. `isArgb`: as it is, not as luma and chroma. Error{OutOfMemory}.
    WebPSource(const Image8& picture, bool isArgb, const StopToken& stop);
    ~WebPSource();
    WebPSource(const WebPSource&) = delete;
    WebPSource& operator=(const WebPSource&) = delete;

    [[nodiscard]] WebPPicture* get() { return &picture_; }

    /// Throws Error{Cancelled} where that is why it was not encoded, else what libwebp says.
    [[noreturn]] void refuse() const;

private:
    bool import(const Image8& picture);

    StopToken stop_;
    WebPPicture picture_{};
};

}  // namespace lowtide::image
