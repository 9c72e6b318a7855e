#include "ui/document/node_title.hpp"

#include "ui/document/graph_model.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace lowtide::ui {

namespace {

class TitleWords {
    Q_DECLARE_TR_FUNCTIONS(NodeTitle)
};

const std::string& titleIn(const graph::DocumentNode& node, const graph::Catalog& catalog) {
    const NodeDesc* desc = catalog.find(node.type);
    return node.title ? *node.title : desc ? desc->label : node.type;
}

}  // namespace

QString nodeTitle(const graph::Document& document,
                  const graph::Catalog& catalog,
                  const std::string& id) {
    const auto node = document.nodes.find(id);
    return QString::fromStdString(node == document.nodes.end() ? id
                                                               : titleIn(node->second, catalog));
}

QString distinctNodeTitle(const graph::Document& document,
                          const graph::Catalog& catalog,
                          const std::string& id) {
    const QString title = nodeTitle(document, catalog, id);
    const std::string text = title.toStdString();
    const bool isShared =
        std::any_of(document.nodes.begin(), document.nodes.end(), [&](const auto& other) {
            return other.first != id && titleIn(other.second, catalog) == text;
        });
    return isShared ? TitleWords::tr("%1 (%2)", "title of a node, its id")
                          .arg(title, QString::fromStdString(id))
                    : title;
}

NodeNames nodeNamesIn(const GraphModel& model) {
    return [&model](const std::string& id) {
        return distinctNodeTitle(model.document(), model.catalog(), id);
    };
}

}  // namespace lowtide::ui
