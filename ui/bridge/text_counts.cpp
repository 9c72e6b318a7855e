#include "ui/bridge/text_counts.hpp"

#include "ui/bridge/answer.hpp"

namespace lowtide::ui {

namespace {

std::vector<int64_t> chunksIn(const Json& count) {
    std::vector<int64_t> chunks;
    for (const Json& tokens : memberIn(count, "chunks")) {
        chunks.push_back(tokens.is_number_integer() ? tokens.get<int64_t>() : 0);
    }
    while (chunks.size() > 1 && chunks.back() == 0) {
        chunks.pop_back();  // filled up to the length of another encoder's
    }
    return chunks;
}

}  // namespace

TextCounts textCountsIn(const Json& facts, const std::string& param) {
    TextCounts counts;
    counts.readsWeights = memberIn(facts, "reads_weights") != false;
    for (const Json& each : memberIn(facts, "texts")) {
        if (textIn(each, "parameter") == param) {
            const Json& read = memberIn(each, "read");
            counts.encoders.push_back(
                {.encoder = QString::fromStdString(textIn(each, "encoder")),
                 .chunks = chunksIn(each),
                 .room = bytesIn(each, "room"),
                 .cut = bytesIn(each, "cut"),
                 .readBytes = read.is_number_integer() ? read.get<int64_t>() : -1});
        }
    }
    return counts;
}

}  // namespace lowtide::ui
