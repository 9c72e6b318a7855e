#pragma once
// WebP: its chunks, and images as libwebp takes and gives them; internal to the library.

#include "plugin/image/image_file.hpp"

#include <webp/encode.h>

namespace lowtide::image {

/// Error{Internal} where libwebp is another one than this was built for.
[[nodiscard]] WebPConfig webpConfig(const ImageEncoding& encoding);

/// An image in libwebp's own form, while it is encoded.
class WebPSource {
public:
    /// Grey becomes colour. `isArgb`: as it is, not as luma and chroma. Error{OutOfMemory}.
    WebPSource(const Image8& image, bool isArgb, const StopToken& stop);
    ~WebPSource();
    WebPSource(const WebPSource&) = delete;
    WebPSource& operator=(const WebPSource&) = delete;

    [[nodiscard]] WebPPicture* get() { return &image_; }

    /// Throws Error{Cancelled} where that is why it was not encoded, else what libwebp reports.
    [[noreturn]] void refuse() const;

private:
    bool import(const Image8& image);

    StopToken stop_;
    WebPPicture image_{};
};

}  // namespace lowtide::image
