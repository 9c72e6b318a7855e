#include "ui/document/json_members.hpp"

namespace lowtide::ui {

const Json& memberIn(const Json& object, const char* key) {
    static const Json none;
    if (!object.is_object()) {
        return none;
    }
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
}

std::string textIn(const Json& object, const char* key) {
    const Json& member = memberIn(object, key);
    return member.is_string() ? member.get<std::string>() : std::string();
}

double numberIn(const Json& object, const char* key) {
    const Json& member = memberIn(object, key);
    return member.is_number() ? member.get<double>() : 0;
}

int64_t bytesIn(const Json& object, const char* key) {
    const Json& member = memberIn(object, key);
    return member.is_number_integer() ? member.get<int64_t>()
                                      : static_cast<int64_t>(numberIn(object, key));
}

}  // namespace lowtide::ui
