#pragma once
// Takes stub values apart: their text is the tensor.

#include "plugin/memory/value_codec.hpp"
#include "tests/unit/executor/stub_nodes.hpp"

#include <cstring>

namespace lowtide::executor {

class StubCodec final : public memory::ValueCodec {
public:
    std::string_view type() const override { return "VALUE"; }

    memory::EncodedValue encode(const memory::WireRef& value) const override {
        const auto& stub = dynamic_cast<const StubValue&>(*value);
        return {.tensors = {{"text",
                             {.type = DType::U8,
                              .shape = {static_cast<int64_t>(stub.text.size())},
                              .bytes = std::as_bytes(std::span(stub.text))}}},
                .metadata = {{"bytes", stub.bytesOn("cpu")}},
                .owner = value};
    }

    memory::WireRef decode(const memory::EncodedValue& value) const override {
        const auto bytes = value.tensors.at("text").bytes;
        return std::make_shared<StubValue>(
            "VALUE",
            std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
            "cpu",
            value.metadata.at("bytes").get<Bytes>());
    }
};

inline memory::ValueCodecs stubCodecs() {
    memory::ValueCodecs codecs;
    codecs.push_back(std::make_unique<StubCodec>());
    return codecs;
}

}  // namespace lowtide::executor
