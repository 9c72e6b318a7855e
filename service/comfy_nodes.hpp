#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/interop/class_table.hpp"
#include "service/folders.hpp"

#include <string>

namespace lowtide::service {

/// ComfyUI's descriptions (object_info) of the classes that graphs of this program stand for.
class ComfyNodes {
public:
    /// `catalog` and `folders` must outlive it. Errors: those of interop::readClassTable.
    ComfyNodes(const graph::Catalog& catalog,
               const ServiceFolders& folders,
               const std::string& resources);

    [[nodiscard]] Json all() const;
    /// {} where the class is not known.
    [[nodiscard]] Json one(const std::string& name) const;

    /// Errors in ComfyUI's form of the numbers that a node of a prompt is given.
    [[nodiscard]] std::vector<Json> valueErrors(const std::string& name, const Json& node) const;
    /// The input that one of our parameters has its value from; the parameter itself: none is
    /// known.
    [[nodiscard]] std::string inputOf(const std::string& name, const std::string& param) const;

private:
    /// What widgets may choose from.
    struct Choices {
        std::map<std::string, std::vector<std::string>> models;
        std::vector<std::string> images;
    };

    [[nodiscard]] Choices choices() const;
    [[nodiscard]] Json described(const interop::ClassRow& row, const Choices& choices) const;
    [[nodiscard]] Json widgetSpec(const interop::ClassRow& row,
                                  const interop::Widget& widget,
                                  const Choices& choices) const;
    [[nodiscard]] Json parameterSpec(const interop::ClassRow& row,
                                     const interop::Widget& widget) const;

    const graph::Catalog& catalog_;
    const ServiceFolders& folders_;
    interop::ClassTable table_;
    Json maps_;  ///< words for words, by name
};

}  // namespace lowtide::service
