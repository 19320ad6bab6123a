"""Reports as pages: `page_model` computes what a page shows, templates write it as Markdown or HTML."""
